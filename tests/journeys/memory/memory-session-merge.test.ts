import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../support/temp-dir.ts";
import { backends, createTestApp, inProcess, shareTestApp, startThinking } from "../../support/test-app.ts";
import { inWorkspace } from "../../support/workspace.ts";

type Entries = { entries: { content: string }[] };
const texts = ({ entries }: Entries) => entries.map(({ content }) => content);
const secret = ["ghp", "Zq8vK2mN4pR6tW8yB1dF3hJ5kL7nQ9sU2wX4"].join("_");

type Client = Parameters<typeof startThinking>[0];

/** Records three thoughts on the main line, and one on a branch between them. */
async function think(client: Client) {
  const sessionId = await startThinking(client, { title: "Latency hunt" });
  const say = (thought: string, more: object = {}) => client.call("thought", { sessionId, thought, ...more });
  await say("one");
  await say("two", { agentId: "ann" });
  await say("aside", { branchFromThought: 1, branchId: "alt" });
  await say("two, better", { isRevision: true, revisesThought: 2 });
  return { sessionId, say, from: `session/${sessionId}` };
}
const all = ["one", "two", "aside", "two, better"];

describe.each(inProcess)("a session merged into notes by a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const open = async () => {
    const place = inWorkspace(app[era]());
    const notes = async (branch = "main", doc = "notes") =>
      texts(await place.call("show", { branch, doc, limit: 200 }));
    return { ...place, notes, ...(await think(place.client)) };
  };

  test("becomes one note per thought of every chain, in order of arrival, with a reference to the thought", async () => {
    const { call, sessionId, from } = await open();
    await call("notes_commit", { content: "before" });
    expect(await call("merge", { from, into: "main" })).toMatchObject({
      ...{ from, into: "main", doc: "notes", merged: 4, skipped: 0 },
      pagination: { has_more: false, count: 4 },
    });
    const { entries, sequential } = await call("show", { branch: "main", doc: "notes" });
    expect(texts({ entries })).toEqual(["before", ...all]);
    expect(sequential).toBeUndefined();
    expect(entries[2]).toMatchObject({
      ...{ kind: "note", branch: "main", doc: "notes", agent_id: "ann" },
      title: "Latency hunt: thought 2",
      meta: { source: `${sessionId}:2` },
      source_event_id: `merge:${from}:2`,
    });
    expect(entries[3]).toMatchObject({
      title: "Latency hunt: thought 2 of branch alt",
      meta: { source: `${sessionId}:alt:2` },
      source_event_id: `merge:${from}:alt:2`,
    });
    for (const { content, meta, seq } of entries.slice(1)) {
      expect(await call("open", { id: meta.source })).toMatchObject({ kind: "thought", entry: { content } });
      expect(await call("open", { id: `notes@${seq}` })).toMatchObject({ entry: { content, meta } });
    }
    expect(entries[1]).not.toHaveProperty("agent_id");
  });

  test("copies only new thoughts, even after branches were renamed or created", async () => {
    const { call, say, notes, from } = await open();
    const merge = { from, into: "main" };
    expect(await call("merge", { ...merge, dry_run: true })).toMatchObject({ merged: 4, skipped: 0 });
    await call("init");
    expect(await notes()).toEqual([]);
    await call("merge", merge);
    expect(await call("merge", merge)).toMatchObject({ merged: 0, skipped: 4 });
    await say("three");
    expect(await call("merge", { ...merge, dry_run: true })).toMatchObject({ merged: 1, skipped: 4 });
    expect(await call("merge", merge)).toMatchObject({ merged: 1, skipped: 4 });
    await call("branch_rename", { old: "main", new: "trunk" });
    expect(await call("merge", { from, into: "trunk" })).toMatchObject({ merged: 0, skipped: 5 });
    await call("branch_create", { name: "child", from: "trunk" });
    expect(await call("merge", { from, into: "child" })).toMatchObject({ merged: 0, skipped: 5 });
    expect(await notes("child")).toEqual([...all, "three"]);
  });

  test("is not copied twice between branches that both contain it, in either direction", async () => {
    const { call, say, notes, from } = await open();
    await call("branch_create", { name: "one" });
    await call("branch_create", { name: "other" });
    await call("merge", { from, into: "one" });
    await call("merge", { from: "one", into: "main" });
    for (const into of ["main", "one"])
      expect(await call("merge", { from, into })).toMatchObject({ merged: 0, skipped: 4 });
    await say("three");
    await call("merge", { from, into: "other" });
    expect(await call("merge", { from: "other", into: "main" })).toMatchObject({ merged: 1, skipped: 4 });
    expect(await call("merge", { from: "main", into: "other" })).toMatchObject({ merged: 0, skipped: 5 });
    expect(await call("merge", { from: "main", into: "one" })).toMatchObject({ merged: 1, skipped: 4 });
    for (const branch of ["main", "one", "other"]) expect(await notes(branch)).toEqual([...all, "three"]);
    const { entries } = await call("show", { branch: "main", doc: "notes" });
    expect(entries[0].source_event_id).toBe(`merge:${from}:1`);
    expect(await call("branch_delete", { name: "other" })).toMatchObject({ unmerged_entries: 0 });
  });

  test("is copied page by page into the named document", async () => {
    const { call, notes, from } = await open();
    const merge = { from, into: "main", doc: "ideas", limit: 3 };
    const first = await call("merge", merge);
    expect(first).toMatchObject({ doc: "ideas", merged: 3, pagination: { has_more: true, count: 3 } });
    const { next_cursor: cursor } = first.pagination;
    const last = await call("merge", { ...merge, cursor });
    expect(last).toMatchObject({ merged: 1, skipped: 0, pagination: { has_more: false, count: 1 } });
    expect(await notes("main", "ideas")).toEqual(all);
    expect(await notes()).toEqual([]);
    expect(await call("merge", { ...merge, limit: 4 })).toMatchObject({
      ...{ merged: 0, skipped: 4 },
      pagination: { has_more: false },
    });
    expect(await call("merge", { from, into: "main" })).toMatchObject({ merged: 4, skipped: 0 });
  });

  test("may be the first write in a workspace", async () => {
    const { call, notes, from } = await open();
    expect(await call("merge", { from, dry_run: true })).toMatchObject({ into: "main", merged: 4 });
    expect(await call("merge", { from })).toMatchObject({ into: "main", merged: 4, skipped: 0 });
    expect(await notes()).toEqual(all);
  });

  test("returns the same answer to a repeated call, and leaves later thoughts to the next call", async () => {
    const { call, say, notes, from } = await open();
    const merge = { from, into: "main", idempotencyKey: "once" };
    const first = await call("merge", merge);
    await say("three");
    expect(await call("merge", merge)).toMatchObject({
      ...{ merged: first.merged, skipped: 0 },
      pagination: { has_more: false, count: 4 },
    });
    expect(await notes()).toEqual(all);
    expect(await call("merge", { from, into: "main" })).toMatchObject({ merged: 1, skipped: 4 });
  });

  test("does not change diffs: a copied note is an entry of the branch like any other", async () => {
    const { call, from } = await open();
    await call("init");
    const before = await call("diff", { from: "main", to: from });
    await call("merge", { from, into: "main" });
    expect(texts(await call("diff", { from: "main", to: from }))).toEqual(texts(before));
    expect(texts(await call("diff", { from, to: "main", doc: "notes" }))).toEqual(all);
  });

  test("can be named with the beginning of its ID, and its notes outlive it", async () => {
    const { client, call, notes, sessionId, from } = await open();
    const part = `session/${sessionId.slice(0, 13)}`;
    expect(await call("merge", { from: part, into: "main" })).toMatchObject({ from, merged: 4 });
    await client.call("session.delete", { sessionId, confirm: true });
    expect(await notes()).toEqual(all);
  });

  test("is refused for an unknown or unsuitable source or destination", async () => {
    const { call, refusal, notes, from } = await open();
    await call("init");
    const nobody = "session/00000000-0000-4000-8000-000000000000";
    for (const [name, args, code] of [
      ["merge", { from: nobody, into: "main" }, "UNKNOWN_ID"],
      ["merge", { from: nobody, merge_to_base: true }, "UNKNOWN_ID"],
      ["merge", { from, into: "nowhere" }, "UNKNOWN_ID"],
      ["merge", { from, into: "nowhere", dry_run: true }, "UNKNOWN_ID"],
      ["merge", { from, merge_to_base: true }, "MERGE_NOT_SUPPORTED"],
      ["merge", { from, into: from }, "INVALID_PAYLOAD"],
      ["merge", { from: "main", into: from }, "INVALID_PAYLOAD"],
      ["merge", { from: "session/x", into: "main" }, "INVALID_PAYLOAD"],
      ["graph_merge", { from, into: "main" }, "INVALID_PAYLOAD"],
    ] as const)
      expect([name, args, (await refusal(name, args)).code]).toEqual([name, args, code]);
    expect(await refusal("graph_merge", { from, into: "main" })).toMatchObject({
      message: expect.stringContaining("merge copies the thoughts as notes"),
    });
    expect(await notes()).toEqual([]);
  });
});

test("a long session can be merged in parts, each thought once", async () => {
  const { client, call } = inWorkspace(createTestApp().modern());
  const sessionId = await startThinking(client);
  const said = Array.from({ length: 1_203 }, (_, n) => `thought ${n}`);
  await Promise.all(said.map((thought) => client.call("thought", { sessionId, thought })));
  const merge = { from: `session/${sessionId}`, into: "main" };
  expect(await call("merge", { ...merge, limit: 700 })).toMatchObject({
    ...{ merged: 700, skipped: 0 },
    pagination: { has_more: true, count: 700 },
  });
  expect(await call("merge", merge)).toMatchObject({ merged: 503, skipped: 700 });
  const { entries } = await call("show", { branch: "main", doc: "notes", limit: 200, max_chars: 75_000 });
  const trace = await call("show", { branch: merge.from, limit: 200, max_chars: 75_000 });
  const count = Math.min(entries.length, trace.entries.length);
  expect(count).toBeGreaterThan(50);
  expect(texts({ entries }).slice(-count)).toEqual(texts(trace).slice(-count));
});

test("long thoughts are copied whole, a few at a time", async () => {
  const { client, call } = inWorkspace(createTestApp().modern());
  const sessionId = await startThinking(client);
  const long = "word ".repeat(120_000);
  for (const end of ["a", "b", "c"]) await client.call("thought", { sessionId, thought: long + end });
  expect(await call("merge", { from: `session/${sessionId}`, into: "main" })).toMatchObject({ merged: 3 });
  const { entries } = await call("show", { branch: "main", doc: "notes" });
  const [last] = entries.slice(-1);
  const { entry } = await call("open", { id: `notes@${last.seq}`, offset: long.length - 5 });
  expect(entry.content).toBe("word c");
});

test("with a project lock, a session of another project cannot be merged either", async () => {
  const dataDir = join(tempDir(), "data");
  const env = { THOUGHTBOX_PROJECT: "mine", THOUGHTBOX_PROJECT_LOCK: "true" };
  const sessionId = await startThinking(createTestApp({ backend: "fs", dataDir }).modern(), {
    project: "theirs",
  });
  const { call, refusal } = createTestApp({ backend: "fs", dataDir, env }).modern();
  await call("init");
  for (const dry_run of [true, false])
    expect((await refusal("merge", { from: `session/${sessionId}`, into: "main", dry_run })).code).toBe(
      "UNKNOWN_ID",
    );
});

describe("secrets in copied thoughts", () => {
  async function open(policy: string) {
    const dataDir = join(tempDir(), "data");
    const earlier = createTestApp({ backend: "fs", dataDir, env: { THOUGHTBOX_SECRETS: "warn" } }).modern();
    const sessionId = await startThinking(earlier);
    for (const thought of ["plain", `it is ${secret}`, `again ${secret}`])
      await earlier.call("thought", { sessionId, thought });
    const env = { THOUGHTBOX_SECRETS: policy };
    const { call } = createTestApp({ backend: "fs", dataDir, env }).modern();
    const merge = (more: object = {}) => call("merge", { from: `session/${sessionId}`, ...more });
    const plainly = createTestApp({ backend: "fs", dataDir, env: { THOUGHTBOX_SECRETS: "off" } }).modern();
    const stored = async () => texts(await plainly.call("show", { branch: "main", doc: "notes" }));
    return { sessionId, merge, stored };
  }
  const codes = ({ warnings = [] }: { warnings?: { code: string }[] }) => warnings.map(({ code }) => code);

  test("are reported once by the call that copies them", async () => {
    const { sessionId, merge, stored } = await open("warn");
    expect(codes(await merge({ dry_run: true }))).toEqual([]);
    expect((await merge()).warnings).toMatchObject([
      {
        code: "SECRET_DETECTED",
        message: `2 thoughts may contain a secret. The first is ${sessionId}:2. The text was stored as written and is masked in answers.`,
      },
    ]);
    expect(codes(await merge())).toEqual([]);
    expect(await stored()).toEqual(["plain", `it is ${secret}`, `again ${secret}`]);
  });

  test("are masked under redact, even if the thought was stored as written", async () => {
    const { merge, stored } = await open("redact");
    expect(codes(await merge())).toEqual(["SECRET_MASKED"]);
    expect(await stored()).toEqual(["plain", "it is [secret:github-token]", "again [secret:github-token]"]);
    expect(await merge()).toMatchObject({ merged: 0, skipped: 3 });
  });
});

describe.each(backends)("a search on %s", (backend) => {
  test("shows a thought but not its copies, and a copy once the session is deleted", async () => {
    const client = createTestApp({ backend }).legacy();
    const sessionId = await startThinking(client);
    await client.call("thought", { sessionId, thought: "the gyroscope drifts" });
    await client.call("merge", { from: `session/${sessionId}` });
    const { entries } = await client.call("show", { branch: "main", doc: "notes" });
    await client.call("branch_create", { name: "side", from: "main" });
    const find = async (args: object = {}) => {
      const { hits } = await client.call("session.search", { query: "gyroscope", ...args });
      return hits.map(({ id }: { id: string }) => id);
    };
    expect(await find()).toEqual([`${sessionId}:1`]);
    expect(await find({ project: "*" })).toEqual([`${sessionId}:1`]);
    await client.call("session.delete", { sessionId, confirm: true });
    expect(await find()).toEqual([`notes@${entries[0].seq}`]);
    await client.call("session.restore", { sessionId });
    expect(await find()).toEqual([`${sessionId}:1`]);
  });

  test("in a project without the session shows the copy", async () => {
    const client = createTestApp({ backend, env: { THOUGHTBOX_PROJECT: "near" } }).modern();
    const sessionId = await startThinking(client, { project: "far" });
    await client.call("thought", { sessionId, thought: "the gyroscope drifts" });
    await client.call("merge", { from: `session/${sessionId}` });
    const find = async (project: string) => {
      const { hits } = await client.call("session.search", { query: "gyroscope", project });
      return hits.map(({ id }: { id: string }) => id);
    };
    expect(await find("near")).toEqual([expect.stringMatching(/^notes@/)]);
    expect(await find("*")).toEqual([`${sessionId}:1`]);
  });
});
