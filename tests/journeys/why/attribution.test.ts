import { join } from "node:path";
import { expect, test } from "vitest";
import { at, createRepository, createTranscript, repositoryOf } from "../../support/git/repository.ts";
import { createTestApp } from "../../support/test-app.ts";
import { claudeLine, claudeRoot, codexRoot, writeLines } from "../../support/transcripts.ts";

const sessions = ["a", "b", "c"].map((letter) => `${letter.repeat(8)}-2222-4333-8444-555555555555`);
const path = "/home/ada/shop/src/pool.ts";

/** Creates a repository with one commit, and transcripts for it. */
function start() {
  const app = createTestApp({ backend: "fs" });
  const client = app.modern();
  const repository = createRepository(repositoryOf(app));
  repository.write("README.md", "# Shop\n");
  repository.commit("start", 0);
  const [one = "", two = "", three = ""] = sessions;
  const transcripts = [one, two, three].map((id) => createTranscript(app, id));
  const [first, second, third] = transcripts;
  if (!first || !second || !third) throw new Error("three transcripts");
  for (const transcript of transcripts) transcript.ask("Work on the pool of connections.", 1);
  return {
    ...{ app, client, repository, first, second, third },
    write: (lines: readonly string[], file = "src/pool.ts") =>
      repository.write(file, lines.map((line) => `${line}\n`).join("")),
    /** Returns the writer of each line: the session and the confidence, or `nobody`. */
    async blame(file = "src/pool.ts", numbers: readonly number[] = [1]) {
      const found: string[] = [];
      for (const line of numbers) {
        const { answers } = await client.call("why", { file, line });
        const [{ by } = { by: undefined }] = answers;
        found.push(by ? `${by.sessionId} ${by.how}` : "nobody");
      }
      return found;
    },
  };
}

const opening = "export function openPool(size) {";
const waiting = "  await waitForAllWorkers(size);";
const counting = "  countOpenConnections(size, limit);";
const closing = "}";

test("the later of two edits is credited with a line, and the earlier one is listed as given up", async () => {
  const { client, repository, first, write, blame } = start();
  first.ask("Open the pool.", 1);
  first.think("The pool must count its open connections, because the database allows only ten.", 1.5);
  first.use("Write", { file_path: path, content: [opening, counting, closing].join("\n") }, { minute: 2 });
  first.think("Counting is wrong when a worker dies, so the pool should wait for its workers.", 3);
  first.use(
    "Edit",
    { file_path: path, old_string: counting, new_string: waiting },
    { minute: 4, call: "second" },
  );
  write([opening, waiting, closing]);
  repository.commit("feat: pool", 6);
  const session = await first.import(client);
  expect(await blame("src/pool.ts", [1, 2])).toEqual([`${session} sure`, `${session} sure`]);
  const { answers } = await client.call("why", { file: "src/pool.ts", line: 2 });
  expect(answers).toMatchObject([
    {
      by: { edit: "second" },
      because: { text: "Counting is wrong when a worker dies, so the pool should wait for its workers." },
      given_up: [
        {
          what: "“The pool must count its open connections, because the database allows only ten.” (1 line, replaced by this edit)",
        },
      ],
    },
  ]);
});

test("a line that was removed and added again belongs to the session that added it again", async () => {
  const { client, repository, first, second, write, blame } = start();
  first.use("Write", { file_path: path, content: [opening, waiting, closing].join("\n") }, { minute: 2 });
  write([opening, waiting, closing]);
  repository.commit("feat: wait", 3);
  write([opening, closing]);
  repository.commit("revert", 20);
  second.use(
    "Edit",
    { file_path: path, old_string: opening, new_string: [opening, waiting].join("\n") },
    { minute: 40 },
  );
  write([opening, waiting, closing]);
  repository.commit("feat: wait again", 41);
  const [wrote, again] = [await first.import(client), await second.import(client)];
  expect(await blame("src/pool.ts", [1, 2])).toEqual([`${wrote} sure`, `${again} sure`]);
});

test("the commit's time decides between two sessions that wrote the same line", async () => {
  const { client, repository, first, second, write, blame } = start();
  for (const [transcript, minute] of [
    [first, 2],
    [second, 90],
  ] as const)
    transcript.use("Write", { file_path: path, content: [opening, waiting, closing].join("\n") }, { minute });
  write([opening, waiting, closing]);
  repository.commit("feat: pool", 3);
  const session = await first.import(client);
  await second.import(client);
  expect(await blame()).toEqual([`${session} sure`]);
});

test("an edit that only indents a block is not credited with it", async () => {
  const { client, repository, first, second, write, blame } = start();
  first.use("Write", { file_path: path, content: [waiting, counting].join("\n") }, { minute: 2 });
  write([waiting, counting]);
  repository.commit("feat: pool", 3);
  const indented = [opening, `  ${waiting}`, `  ${counting}`, closing];
  second.use(
    "Edit",
    { file_path: path, old_string: [waiting, counting].join("\n"), new_string: indented.join("\n") },
    { minute: 40 },
  );
  write(indented);
  repository.commit("refactor: a function", 41);
  const [wrote, wrapped] = [await first.import(client), await second.import(client)];
  expect(await blame("src/pool.ts", [1, 2, 3])).toEqual([
    `${wrapped} sure`,
    `${wrote} sure`,
    `${wrote} sure`,
  ]);
});

const setUp = ["  const folder = createFolderForTests();", "  const store = openStoreInFolder(folder);"];
const testOf = (name: string) => [
  `test("${name}", () => {`,
  ...setUp,
  `  expect(store.${name}()).toBe(1);`,
  "});",
];

test("a copied line belongs to the session that copied it, and the original to the one that wrote it", async () => {
  const { client, repository, first, second, write, blame } = start();
  const [original, copy] = [testOf("read"), testOf("list")];
  first.use("Write", { file_path: path, content: original.join("\n") }, { minute: 2 });
  write(original);
  repository.commit("test: read", 3);
  const both = [...original, "", ...copy];
  second.use(
    "Edit",
    { file_path: path, old_string: original[3], new_string: both.slice(3).join("\n") },
    { minute: 40 },
  );
  write(both);
  const commit = repository.commit("test: list", 41);
  const [wrote, copied] = [await first.import(client), await second.import(client)];
  const { answers } = await client.call("why", { file: "src/pool.ts", line: 8 });
  expect(answers).toMatchObject([{ commit: { sha: commit.slice(0, 12) }, by: { sessionId: copied } }]);
  const sessionsOf = async (numbers: number[]) =>
    (await blame("src/pool.ts", numbers)).map((found) => found.split(" ")[0]);
  expect(await sessionsOf([2, 3, 8, 9])).toEqual([wrote, wrote, copied, copied]);
});

test("a copied block whose copying session is unknown is not attributed", async () => {
  const { client, repository, first, write, blame } = start();
  const original = [opening, waiting, counting, ...setUp, closing];
  const copy = ["export function openOtherPool(size) {", ...original.slice(1)];
  first.use("Write", { file_path: path, content: original.join("\n") }, { minute: 2 });
  write(original);
  repository.commit("test: read", 3);
  write([...original, "", ...copy]);
  repository.commit("test: list", 6_000);
  const wrote = await first.import(client);
  expect(await blame("src/pool.ts", [2, 8, 9, 10])).toEqual([`${wrote} sure`, "nobody", "nobody", "nobody"]);
});

test("lines keep their session when they move within their file", async () => {
  const { client, repository, first, second, write, blame } = start();
  const [one, two] = [testOf("read"), [opening, waiting, counting, closing]];
  first.use("Write", { file_path: path, content: [...one, ...two].join("\n") }, { minute: 2 });
  write([...one, ...two]);
  repository.commit("feat: pool", 3);
  second.use("Write", { file_path: path, content: [...two, ...one].join("\n") }, { minute: 40 });
  write([...two, ...one]);
  repository.commit("refactor: pool first", 41);
  const wrote = await first.import(client);
  await second.import(client);
  expect(await blame("src/pool.ts", [1, 2, 6, 7])).toEqual(Array(4).fill(`${wrote} sure`));
});

test("lines keep their session when their file is renamed and edited", async () => {
  const { client, repository, first, second, write, blame } = start();
  const lines = [opening, waiting, counting, closing, "export const limitOfConnections = 40;"];
  first.use("Write", { file_path: path, content: lines.join("\n") }, { minute: 2 });
  write(lines);
  repository.commit("feat: pool", 3);
  repository.git(["mv", "src/pool.ts", "src/connections.ts"]);
  const renamed = [...lines, "export const timeoutInSeconds = 30;"];
  second.use(
    "Edit",
    {
      file_path: "/home/ada/shop/src/connections.ts",
      old_string: lines[4],
      new_string: renamed.slice(4).join("\n"),
    },
    { minute: 40 },
  );
  write(renamed, "src/connections.ts");
  repository.commit("refactor: rename", 41);
  const [wrote, added] = [await first.import(client), await second.import(client)];
  expect(await blame("src/connections.ts", [2, 6])).toEqual([`${wrote} sure`, `${added} sure`]);
});

test("a Codex patch that moves a file is credited with its new lines", async () => {
  const { app, client, repository, write, blame } = start();
  write([opening, closing]);
  repository.commit("feat: pool", 3);
  const patch = [
    ...["*** Begin Patch", "*** Update File: src/pool.ts", "*** Move to: src/connections.ts"],
    ...["@@", ` ${opening}`, `+${waiting}`, ` ${closing}`, "*** End Patch"],
  ].join("\n");
  const item = (minute: number, payload: object) => ({
    timestamp: at(minute),
    type: "response_item",
    payload,
  });
  const file = "2026/03/02/rollout-2026-03-02-pool.jsonl";
  writeLines(join(codexRoot(app), file), [
    {
      timestamp: at(20),
      type: "session_meta",
      payload: { id: "0190-pool", timestamp: at(20), cwd: "/home/ada/shop" },
    },
    item(21, {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "Wait for the workers." }],
    }),
    item(22, { type: "custom_tool_call", name: "apply_patch", input: patch, call_id: "p1" }),
    item(23, {
      type: "custom_tool_call_output",
      call_id: "p1",
      output: "Success. Updated the following files:",
    }),
  ]);
  repository.git(["mv", "src/pool.ts", "src/connections.ts"]);
  write([opening, waiting, closing], "src/connections.ts");
  repository.commit("refactor: rename", 25);
  const { sessionId } = await client.call("transcripts_import", { ref: { path: file } });
  expect(await blame("src/connections.ts", [1, 2])).toEqual(["nobody", `${sessionId} sure`]);
});

test("a refused edit is credited with nothing, and the user's words are part of the answer", async () => {
  const { client, repository, first, write } = start();
  const said =
    "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nnever wait in the pool";
  first.ask("Open the pool.", 1);
  first.use("Write", { file_path: path, content: waiting }, { minute: 2 }, { is_error: true, content: said });
  first.use("Write", { file_path: path, content: [opening, counting, closing].join("\n") }, { minute: 3 });
  write([opening, counting, closing]);
  repository.commit("feat: pool", 6);
  await first.import(client);
  const { answers } = await client.call("why", { file: "src/pool.ts", line: 2 });
  expect(answers).toMatchObject([
    {
      asked: { text: "never wait in the pool" },
      given_up: [{ what: "the user refused Write src/pool.ts and then asked for the above" }],
    },
  ]);
});

test("an edit with replace_all is credited with every place", async () => {
  const { client, repository, first, write, blame } = start();
  const detail = {
    filePath: path,
    structuredPatch: [
      { lines: ["-const size = oldLimit;", "+const size = newLimit;"] },
      { lines: ["-const most = oldLimit;", "+const most = newLimit;"] },
    ],
  };
  first.use(
    "Edit",
    { file_path: path, old_string: "oldLimit", new_string: "newLimit", replace_all: true },
    { minute: 2, more: { toolUseResult: detail } },
  );
  write(["const size = newLimit;", "", "const most = newLimit;"]);
  repository.commit("refactor: limits", 3);
  const session = await first.import(client);
  expect(await blame("src/pool.ts", [1, 3])).toEqual([`${session} sure`, `${session} sure`]);
});

test("a resumed session shares its past, and a shared edit counts once", async () => {
  const { client, repository, first, second, write } = start();
  for (const transcript of [first, second])
    transcript.use(
      "Write",
      { file_path: path, content: [opening, waiting, closing].join("\n") },
      { minute: 2, call: "shared" },
    );
  second.use("Edit", { file_path: path, old_string: waiting, new_string: counting }, { minute: 8 });
  write([opening, counting, closing]);
  repository.commit("feat: pool", 9);
  const [origin, resumed] = [await first.import(client), await second.import(client)];
  const { answers } = await client.call("why", { file: "src/pool.ts", line: 1 });
  expect(answers).toHaveLength(1);
  expect([origin, resumed]).toContain(answers[0].by.sessionId);
  expect(answers[0].other_candidates).toBeUndefined();
  const later = await client.call("why", { file: "src/pool.ts", line: 2 });
  expect(later.answers[0].by.sessionId).toBe(resumed);
});

test("a sub-agent with a separate transcript file is credited with its lines", async () => {
  const { app, client, repository, first, write } = start();
  first.ask("Open the pool.", 1);
  first.think("I send an agent.", 2);
  const own = { sessionId: sessions[0], isSidechain: true, agentId: "x1" };
  const call = {
    type: "tool_use",
    id: "agent-call",
    name: "Write",
    input: { file_path: path, content: opening },
  };
  writeLines(join(claudeRoot(app), first.path.replace(".jsonl", ""), "subagents", "agent-x1.jsonl"), [
    claudeLine("user", "x-1", null, "Write openPool.", { ...own, timestamp: at(3) }),
    claudeLine("assistant", "x-2", "x-1", [call], { ...own, timestamp: at(4) }),
    claudeLine("user", "x-3", "x-2", [{ type: "tool_result", tool_use_id: "agent-call", content: "ok" }], {
      ...own,
      timestamp: at(4),
    }),
  ]);
  write([opening]);
  repository.commit("feat: pool", 6);
  const session = await first.import(client);
  const { answers } = await client.call("why", { file: "src/pool.ts", line: 1 });
  expect(answers).toMatchObject([
    { by: { sessionId: session, agent: "agent-x1" }, asked: { text: "Write openPool." } },
  ]);
});

test("an edit between author and committer time belongs to the amended commit", async () => {
  const { client, repository, first, write, blame } = start();
  first.use("Write", { file_path: path, content: [opening, closing].join("\n") }, { minute: 2 });
  write([opening, closing]);
  repository.commit("feat: pool", 3);
  first.use(
    "Edit",
    { file_path: path, old_string: opening, new_string: [opening, waiting].join("\n") },
    { minute: 30 },
  );
  write([opening, waiting, closing]);
  repository.git(["add", "--all"]);
  repository.git(["commit", "--quiet", "--amend", "--no-edit", `--date=${at(3)}`], 3, 31);
  const session = await first.import(client);
  expect(await blame("src/pool.ts", [1, 2])).toEqual([`${session} sure`, `${session} sure`]);
});

test("a session that began after a commit is not credited with it, even if the commit was rebased later", async () => {
  const { app, client, repository, write, blame } = start();
  const later = createTranscript(app, "dddddddd-2222-4333-8444-555555555555");
  write([opening, waiting, closing]);
  repository.commit("feat: pool", 3, { committed: 60 });
  later.ask("Open the pool.", 29);
  later.use("Write", { file_path: path, content: [opening, waiting, closing].join("\n") }, { minute: 30 });
  await later.import(client);
  expect(await blame("src/pool.ts", [1, 2])).toEqual(["nobody", "nobody"]);
});

test("a line whose text the file repeats is only likely, unless a neighbouring line distinguishes the places", async () => {
  const { client, repository, first, write, blame } = start();
  const lines = [waiting, "", waiting, "", opening, waiting, closing];
  first.use("Write", { file_path: path, content: lines.join("\n") }, { minute: 2 });
  write([waiting, "// by hand", waiting, "", opening, waiting, closing]);
  repository.commit("feat: pool", 3);
  const session = await first.import(client);
  expect(await blame("src/pool.ts", [1, 6])).toEqual([`${session} likely`, `${session} sure`]);
});

test("a squash of three sessions credits each session with its lines", async () => {
  const { client, repository, first, second, third, write, blame } = start();
  const lines = [opening, waiting, counting];
  const wrote: string[] = [];
  for (const [index, transcript] of [first, second, third].entries()) {
    const [line = ""] = lines.slice(index);
    const file_path = path;
    const edit = {
      file_path,
      old_string: lines[index - 1] ?? "",
      new_string: lines.slice(Math.max(0, index - 1), index + 1).join("\n"),
    };
    transcript.use(index === 0 ? "Write" : "Edit", index === 0 ? { file_path, content: line } : edit, {
      minute: 10 * index + 2,
    });
  }
  write(lines);
  repository.commit("feat: pool (#12)", 40);
  for (const transcript of [first, second, third]) wrote.push(await transcript.import(client));
  expect(await blame("src/pool.ts", [1, 2, 3])).toEqual(wrote.map((session) => `${session} sure`));
});

test("uncommitted lines have a session too", async () => {
  const { client, repository, first, write } = start();
  write([opening, closing]);
  repository.commit("feat: pool", 3);
  first.use(
    "Edit",
    { file_path: path, old_string: opening, new_string: [opening, waiting].join("\n") },
    { minute: 20 },
  );
  write([opening, waiting, closing]);
  const session = await first.import(client);
  const { answers } = await client.call("why", { file: "src/pool.ts", line: 2 });
  expect(answers).toMatchObject([{ lines: "2", by: { sessionId: session, how: "sure" } }]);
  expect(answers[0]).not.toHaveProperty("commit");
});

test("Windows line endings make no difference", async () => {
  const { client, repository, first, blame } = start();
  first.use("Write", { file_path: path, content: [opening, waiting, closing].join("\n") }, { minute: 2 });
  repository.write("src/pool.ts", [opening, waiting, closing, ""].join("\r\n"));
  repository.commit("feat: pool", 3);
  const session = await first.import(client);
  expect(await blame("src/pool.ts", [1, 2])).toEqual([`${session} sure`, `${session} sure`]);
});

test("a line that was only context and a line of a bot's commit are not attributed", async () => {
  const { client, repository, first, write, blame } = start();
  write([opening, closing]);
  repository.commit("feat: by hand", 3);
  first.use(
    "Edit",
    { file_path: path, old_string: opening, new_string: [opening, waiting].join("\n") },
    { minute: 20 },
  );
  write([opening, waiting, closing]);
  repository.commit("feat: wait", 21);
  write(["version: 1.2.3 of the dependency"], "deps.txt");
  repository.commit("chore: bump", 60, { author: "bot" });
  const session = await first.import(client);
  expect(await blame("src/pool.ts", [1, 2])).toEqual(["nobody", `${session} sure`]);
  const { answers } = await client.call("why", { file: "deps.txt", line: 1 });
  expect(answers).toMatchObject([{ commit: { subject: "chore: bump", author: "bot" } }]);
  expect(answers[0]).not.toHaveProperty("by");
});

test.each([
  ["an edit that does not show it", [], / by-commit$/],
  ["an edit that shows it as context", ["  const kinds = readKindsOfWorkers(size);"], /^nobody$/],
])("a line that no edit wrote, in a commit with %s", async (_what, context, found) => {
  const { client, repository, first, write, blame } = start();
  const lines = Array.from({ length: 8 }, (_, n) => `  countWorkersOfKind(kinds[${n}], size);`);
  const patch = [...context.map((line) => ` ${line}`), ...lines.map((line) => `+${line}`)];
  const toolUseResult = { filePath: path, structuredPatch: [{ lines: patch }] };
  first.use("Edit", { file_path: path }, { minute: 2, more: { toolUseResult } });
  write([opening, "  const kinds = readKindsOfWorkers(size);", ...lines, closing]);
  repository.commit("feat: kinds", 6);
  await first.import(client);
  const [writer] = await blame("src/pool.ts", [2]);
  expect(writer).toMatch(found);
});

test("the body of the commit's message is part of the answer, without its trailers", async () => {
  const { client, repository, first, write } = start();
  const body = "Forty workers shared ten connections, so checkout timed out.";
  first.use("Write", { file_path: path, content: [opening, waiting, closing].join("\n") }, { minute: 2 });
  write([opening, waiting, closing]);
  repository.commit(`feat: wait\n\n${body}\n\nCo-Authored-By: Ada <ada@example.com>`, 3);
  await first.import(client);
  const { answers } = await client.call("why", { file: "src/pool.ts", line: 2 });
  expect(answers[0].commit).toMatchObject({ subject: "feat: wait", message: body });
});

test("only a later edit of the line itself is listed as a change", async () => {
  const { client, repository, first, second, write } = start();
  const ending = "  await endAllWorkers(size);";
  const edit = (old_string: string, new_string: string, minute: number) =>
    second.use("Edit", { file_path: path, old_string, new_string }, { minute });
  const since = async () =>
    (await client.call("why", { file: "src/pool.ts", line: 2 })).answers[0].since?.map(
      ({ what }: { what: string }) => what,
    );
  const content = [opening, waiting, counting, closing];
  first.use("Write", { file_path: path, content: content.join("\n") }, { minute: 2 });
  write(content);
  repository.commit("feat: wait", 3);
  await first.import(client);
  edit(counting, ending, 20);
  write([opening, waiting, ending, closing]);
  repository.commit("feat: end", 21);
  const session = await second.import(client);
  expect(await since()).toBeUndefined();
  edit(waiting, "  await waitForNobody(size);", 30);
  edit("  await waitForNobody(size);", waiting, 31);
  await second.import(client);
  expect(await since()).toEqual([`session ${session.slice(0, 8)} edited this line again`]);
});

test("a commit, a range of commits and a thought lead to the same lines", async () => {
  const { client, repository, first, write } = start();
  first.ask("Open the pool.", 1);
  first.use("Write", { file_path: path, content: [opening, waiting, closing].join("\n") }, { minute: 2 });
  write([opening, waiting, closing]);
  const commit = repository.commit("feat: pool", 3);
  const session = await first.import(client);
  for (const asked of [{ commit: commit.slice(0, 9) }, { commit: "HEAD~1...HEAD" }, { id: `${session}:2` }])
    expect(await client.call("why", asked)).toMatchObject({
      answers: [{ file: "src/pool.ts", lines: "1-3", by: { sessionId: session } }],
    });
});
