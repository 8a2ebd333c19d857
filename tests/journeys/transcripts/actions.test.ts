import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../../support/cli.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { claudeLine, claudeRoot, writeLines } from "../../support/transcripts.ts";

const now = "2026-03-10T12:00:00Z";
const first = "aaaaaaaa-2222-4333-8444-555555555555";
const fork = "bbbbbbbb-2222-4333-8444-555555555555";

function prepare() {
  const dataDir = join(tempDir(), "data");
  const run = async (line: string, to = dataDir) => {
    const done = await runCommand(`thoughtbox ${line}`, { dataDir: to, now });
    expect(done.code, `${line}: ${done.err}`).toBe(0);
    return done.out;
  };
  return { dataDir, run };
}

const call = (id: string, name: string, input: object) => [{ type: "tool_use", id, name, input }];
const result = (id: string, content: string, is_error = false) => [
  { type: "tool_result", tool_use_id: id, content, is_error },
];

const edit = {
  file_path: "/home/ada/shop/src/pool.ts",
  old_string: "size = 10",
  new_string: "size = 40\nwait = 5",
};

/** Returns an edit, a failed test run, a commit, and a write that the user refused. */
function session(id: string, more: readonly object[] = []): object[] {
  const line = (...given: Parameters<typeof claudeLine>) =>
    claudeLine(given[0], given[1], given[2], given[3], { sessionId: id, ...given[4] });
  const patch = {
    filePath: edit.file_path,
    structuredPatch: [{ lines: [" export const", "-size = 10", "+size = 40", "+wait = 5"] }],
  };
  return [
    line("user", "u1", null, "Make the pool larger."),
    line("assistant", "a1", "u1", [{ type: "thinking", thinking: "40 workers share 10 connections." }]),
    line("assistant", "a2", "a1", call("toolu_1", "Edit", edit)),
    line("user", "r1", "a2", result("toolu_1", "updated"), { toolUseResult: patch }),
    line("assistant", "a3", "r1", call("toolu_2", "Bash", { command: "npm test" })),
    line("user", "r2", "a3", result("toolu_2", "Exit code 1\n1 failed", true)),
    line("assistant", "a4", "r2", call("toolu_3", "Bash", { command: "git commit -am 'Larger pool'" })),
    line("user", "r3", "a4", result("toolu_3", "[main 1234abc] Larger pool\n 1 file changed")),
    line("assistant", "a5", "r3", call("toolu_4", "Write", { file_path: "/etc/hosts", content: "x" })),
    line(
      "user",
      "r4",
      "a5",
      result(
        "toolu_4",
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nNot there.",
        true,
      ),
    ),
    ...more,
  ];
}

const write = (dataDir: string, id: string, lines: readonly object[]) =>
  writeLines(join(claudeRoot({ dataDir }), `-home-ada-shop/${id}.jsonl`), lines);

const idsOf = (listing: string): string[] => JSON.parse(listing).sessions.map(({ id }: { id: string }) => id);

async function importOne() {
  const prepared = prepare();
  write(prepared.dataDir, first, session(first));
  await prepared.run("import --from claude-code");
  const [id = ""] = idsOf(await prepared.run("ls --json"));
  return { ...prepared, id };
}

test("show lists what the agent did, with outcomes and the user's refusal", async () => {
  const { run, id } = await importOne();
  const shown = await run(`show ${id}`);
  expect(shown).toContain("Actions: 1 edit, 2 commands, 1 refusal");
  expect(shown).toContain("± edited /home/ada/shop/src/pool.ts (+2 −1)");
  expect(shown).toContain("$ `npm test` failed with exit status 1");
  expect(shown).toContain("$ `git commit -am 'Larger pool'`, commit 1234abc");
  expect(shown).toContain("✗ the user refused `Write /etc/hosts`: Not there.");
  const { actions } = JSON.parse(await run(`show ${id} --json`));
  expect(actions[0]).toMatchObject({
    call: "toolu_1",
    path: edit.file_path,
    written: 2,
    removed: 1,
    after: { thoughtNumber: 2 },
  });
});

test("importing again adds no actions, and a forked session shares those of its origin", async () => {
  const { dataDir, run, id } = await importOne();
  await run("import --from claude-code");
  write(
    dataDir,
    fork,
    session(fork, [claudeLine("user", "u9", "r4", "And the timeout?", { sessionId: fork })]),
  );
  await run("import --from claude-code");
  const { actions } = JSON.parse(await run(`show ${id} --json`));
  expect(actions).toHaveLength(4);
  const shared = JSON.parse(await run(`call read_actions sessionId=${id}`));
  const other = idsOf(await run("ls --json")).filter((each) => each !== id);
  expect(shared.sharedWith).toEqual(other);
});

test("a dump brings actions into another store, and exports contain them", async () => {
  const { dataDir, run, id } = await importOne();
  const before = JSON.parse(await run(`show ${id} --json`)).actions;
  const dump = join(dataDir, "..", "all.jsonl");
  await run(`dump ${dump}`);
  const other = join(dataDir, "..", "other");
  await run(`restore ${dump}`, other);
  expect(JSON.parse(await run(`show ${id} --json`, other)).actions).toEqual(before);

  const json = join(dataDir, "exports", "one.json");
  await run(`call session.export sessionId=${id} destination=one.json`);
  expect(JSON.parse(readFileSync(json, "utf8")).actions).toHaveLength(4);
  const markdown = await run(`call session.export sessionId=${id} format=markdown`);
  expect(markdown).toContain("edited /home/ada/shop/src/pool.ts (+2 −1)");
});

test("erasing a session erases its actions, but not those that a fork shares", async () => {
  const { dataDir, run, id } = await importOne();
  write(dataDir, fork, session(fork));
  await run("import --from claude-code");
  const [other = ""] = idsOf(await run("ls --json")).filter((each) => each !== id);
  const erase = async (session: string) => {
    await run(`call session.delete sessionId=${session} confirm=true`);
    await run("trash --empty --yes");
  };
  await erase(id);
  expect(JSON.parse(await run(`show ${other} --json`)).actions).toHaveLength(4);
  await erase(other);
  const dump = join(dataDir, "..", "rest.jsonl");
  await run(`dump ${dump}`);
  expect(readFileSync(dump, "utf8")).not.toContain("toolu_1");
});

/** Returns two reads, with times. */
const reading = (id: string, more: readonly object[] = []): object[] => {
  const at = (second: number) => ({
    sessionId: id,
    timestamp: new Date(Date.UTC(2026, 2, 2, 10, 0, second)).toISOString(),
  });
  const file = (name: string) => ({ file_path: `/home/ada/shop/src/${name}.ts` });
  return [
    claudeLine("user", "u1", null, "Read it.", at(0)),
    claudeLine("assistant", "a1", "u1", call("toolu_1", "Read", file("pool")), at(1)),
    claudeLine("user", "r1", "a1", result("toolu_1", "text"), at(2)),
    claudeLine("assistant", "a2", "r1", call("toolu_2", "Read", file("queue")), at(3)),
    claudeLine("user", "r2", "a2", result("toolu_2", "text"), at(5)),
    ...more,
  ];
};

test("file reads are stored with their paths once another entry follows, and dumps and exports contain them", async () => {
  const { dataDir, run } = prepare();
  const answer = claudeLine("assistant", "a3", "r2", [{ type: "text", text: "Ten connections." }], {
    sessionId: first,
    timestamp: "2026-03-02T10:00:06Z",
  });
  write(dataDir, first, reading(first));
  await run("import --from claude-code");
  const [id = ""] = idsOf(await run("ls --json"));
  const actionsIn = async (to?: string) => JSON.parse(await run(`show ${id} --json`, to)).actions;
  expect(await actionsIn()).toBeUndefined();
  write(dataDir, first, reading(first, [answer]));
  await run("import --from claude-code");
  await run("import --from claude-code");
  const kept = {
    ...{ type: "read", call: "toolu_1", at: "2026-03-02T10:00:01.000Z", took: 4_000 },
    ...{ summary: "read 2 files: pool.ts, queue.ts", after: { thoughtNumber: 1 } },
    paths: ["/home/ada/shop/src/pool.ts", "/home/ada/shop/src/queue.ts"],
  };
  expect(await actionsIn()).toMatchObject([kept]);
  expect(await run(`show ${id}`)).toContain("Actions: 2 files read");

  const dump = join(dataDir, "..", "all.jsonl");
  const other = join(dataDir, "..", "other");
  await run(`dump ${dump}`);
  await run(`restore ${dump}`, other);
  expect(await actionsIn(other)).toMatchObject([kept]);
  const exported = join(dataDir, "exports", "one.json");
  await run(`call session.export sessionId=${id} destination=one.json`);
  expect(JSON.parse(readFileSync(exported, "utf8")).actions).toMatchObject([{ paths: kept.paths }]);

  await run(`call session.delete sessionId=${id} confirm=true`);
  await run("trash --empty --yes");
  const rest = join(dataDir, "..", "rest.jsonl");
  await run(`dump ${rest}`);
  expect(readFileSync(rest, "utf8")).not.toContain("queue.ts");
});

test("a session that was imported without reads gets them with its next import", async () => {
  const { dataDir, run } = prepare();
  const answer = claudeLine("assistant", "a3", "r2", [{ type: "text", text: "Ten." }], { sessionId: first });
  const lines = reading(first, [answer]);
  // A tool that is not known to read files leaves no action, as in earlier versions.
  write(dataDir, first, JSON.parse(JSON.stringify(lines).replaceAll('"Read"', '"Peek"')));
  await run("import --from claude-code");
  const [id = ""] = idsOf(await run("ls --json"));
  const before = JSON.parse(await run(`show ${id} --json`));
  expect(before.actions).toBeUndefined();
  write(dataDir, first, lines);
  await run("import --from claude-code");
  const after = JSON.parse(await run(`show ${id} --json`));
  expect(after.actions).toMatchObject([{ type: "read", after: { thoughtNumber: 1 } }]);
  expect(after.thoughts).toEqual(before.thoughts);
});
