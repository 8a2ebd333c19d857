import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../../support/temp-dir.ts";
import { createTestApp, inProcess, shareTestApp, startThinking } from "../../support/test-app.ts";
import { inWorkspace } from "../../support/workspace.ts";

type Entries = { entries: { content: string }[] };
const texts = ({ entries }: Entries) => entries.map(({ content }) => content);

describe.each(inProcess)("documents of a %s client on %s", (era, backend) => {
  const app = shareTestApp({ backend });
  const open = () => inWorkspace(app[era]());

  test("a diff shows what one branch has and the other does not", async () => {
    const { call } = open();
    await call("notes_commit", { content: "shared" });
    await call("branch_create", { name: "try" });
    await call("notes_commit", { content: "later on main" });
    await call("notes_commit", { branch: "try", content: "tried" });
    expect(texts(await call("diff", { from: "main", to: "try" }))).toEqual(["tried"]);
    expect(texts(await call("diff", { from: "try", to: "main" }))).toEqual(["later on main"]);
    expect(texts(await call("diff", { from: "main", to: "main" }))).toEqual([]);
    expect(texts(await call("show", { branch: "try", doc: "notes" }))).toEqual(["shared", "tried"]);
  });

  test("a merge copies each entry once, even if it is repeated, reversed or done after a rename", async () => {
    const { call } = open();
    await call("branch_create", { name: "try" });
    for (const content of ["one", "two"]) await call("notes_commit", { branch: "try", content });
    const merge = { from: "try", merge_to_base: true };
    expect(await call("merge", { ...merge, dry_run: true })).toMatchObject({ merged: 2, skipped: 0 });
    expect(await call("merge", merge)).toMatchObject({ into: "main", merged: 2, skipped: 0 });
    expect(await call("merge", merge)).toMatchObject({ merged: 0, skipped: 2 });
    expect(await call("merge", { from: "main", into: "try" })).toMatchObject({ merged: 0, skipped: 2 });
    await call("branch_rename", { old: "try", new: "tried" });
    expect(await call("merge", { ...merge, from: "tried" })).toMatchObject({ merged: 0, skipped: 2 });
    const { entries } = await call("show", { branch: "main", doc: "notes" });
    expect(texts({ entries })).toEqual(["one", "two"]);
    expect(entries[0].source_event_id).toMatch(/^merge:try:\d+$/);
  });

  test("a merge in pages copies everything in order", async () => {
    const { call } = open();
    await call("branch_create", { name: "try" });
    for (const content of ["1", "2", "3"]) await call("notes_commit", { branch: "try", content });
    const first = await call("merge", { from: "try", into: "main", limit: 2 });
    expect(first).toMatchObject({ merged: 2, pagination: { has_more: true, count: 2 } });
    const cursor = first.pagination.next_cursor;
    expect(await call("merge", { from: "try", into: "main", limit: 2, cursor })).toMatchObject({ merged: 1 });
    expect(texts(await call("show", { branch: "main", doc: "notes" }))).toEqual(["1", "2", "3"]);
  });

  test("invalid merges are refused", async () => {
    const { call, refusal } = open();
    await call("init");
    expect((await refusal("merge", { from: "main", into: "main" })).code).toBe("INVALID_PAYLOAD");
    expect((await refusal("merge", { from: "main", merge_to_base: true })).code).toBe("MERGE_NOT_SUPPORTED");
    expect((await refusal("merge", { from: "nowhere" })).code).toBe("UNKNOWN_ID");
    expect((await refusal("diff", { from: "main", to: "nowhere" })).code).toBe("UNKNOWN_ID");
  });

  test("an entry can be opened by its reference, and the recovery corrects a wrong document", async () => {
    const { call, refusal } = open();
    const { entry } = await call("notes_commit", { content: "kept", title: "T", meta: { why: ["because"] } });
    const opened = await call("open", { id: `notes@${entry.seq}` });
    expect(opened).toMatchObject({ kind: "doc_entry", ref: `notes@${entry.seq}`, entry });
    const error = await refusal("open", { id: `trace@${entry.seq}` });
    expect(error).toMatchObject({
      code: "INVALID_PAYLOAD",
      recovery: { args: { id: `notes@${entry.seq}` } },
    });
    expect((await refusal("open", { id: "notes@999999999" })).code).toBe("UNKNOWN_ID");
  });

  test("nodes and cards can be opened by their IDs, whatever document or branch they are in", async () => {
    const { call, refusal } = open();
    const card = {
      op: "node_upsert",
      id: "CARD-1",
      type: "hypothesis",
      title: "Why",
      text: "long",
      tags: ["x"],
    };
    const other = { op: "node_upsert", id: "plain", type: "idea" };
    const link = { op: "edge_upsert", from: "CARD-1", rel: "supports", to: "plain" };
    await call("graph_apply", { doc: "TASK-001-graph", ops: [card, other, link] });
    expect(await call("open", { id: "CARD-1" })).toMatchObject({
      kind: "card",
      head: { branch: "main", doc: "TASK-001-graph" },
      card: { id: "CARD-1", type: "hypothesis", text: "long", tags: ["x"] },
      edges: { supports: ["plain"], blocks: [] },
    });
    expect(await call("open", { id: "plain" })).toMatchObject({
      kind: "node",
      node: { id: "plain" },
      edges: {},
    });
    await call("branch_create", { name: "try" });
    await call("graph_apply", { branch: "try", ops: [{ op: "node_upsert", id: "far", type: "idea" }] });
    expect(await call("open", { id: "far" })).toMatchObject({ kind: "node", head: { branch: "try" } });
    for (const id of ["CARD-9", "TASK-001", "a:core", "JOB-001", "runner:x"])
      expect((await refusal("open", { id })).code).toBe("UNKNOWN_ID");
  });

  test("a session of the ledger can be read as a trace, with its branches and revisions", async () => {
    const { client, call, refusal } = open();
    const sessionId = await startThinking(client);
    for (const thought of ["one", "two"]) await client.call("thought", { sessionId, thought });
    await client.call("thought", { sessionId, thought: "aside", branchFromThought: 1, branchId: "alt" });
    await client.call("thought", { sessionId, thought: "two, better", isRevision: true, revisesThought: 2 });
    const branch = `session/${sessionId}`;
    const trace = await call("show", { branch });
    expect(texts(trace)).toEqual(["one", "two", "aside", "two, better"]);
    expect(trace.entries[3].meta).toMatchObject({ thoughtNumber: 3, isRevision: true, revisesThought: 2 });
    expect(trace.sequential).toMatchObject({
      edges: [
        { rel: "branch", from: 1, branchId: "alt" },
        { rel: "revision", from: 2, to: 3 },
      ],
      missing: [],
    });
    const page = await call("show", { branch, limit: 2 });
    expect(texts(page)).toEqual(["aside", "two, better"]);
    expect(page.sequential.missing).toHaveLength(2);
    const rest = await call("show", { branch, limit: 2, cursor: page.pagination.next_cursor });
    expect(texts(rest)).toEqual(["one", "two"]);
    expect(rest.pagination.has_more).toBe(false);

    const { docs } = await call("docs_list", { ref: branch });
    expect(docs).toMatchObject([{ doc: "trace", form: "log", last_seq: trace.entries[3].seq }]);
    await call("init");
    expect(texts(await call("diff", { from: "main", to: branch }))).toEqual(texts(trace));
    for (const to of ["main", branch]) expect(texts(await call("diff", { from: branch, to }))).toEqual([]);

    expect(await call("open", { id: sessionId })).toMatchObject({ kind: "session", branch, doc: "trace" });
    expect(await call("open", { id: `${sessionId}:2` })).toMatchObject({
      kind: "thought",
      entry: { content: "two" },
    });
    expect((await refusal("open", { id: `${sessionId}:99` })).code).toBe("UNKNOWN_ID");

    for (const [name, args] of [
      ["notes_commit", { branch, content: "no" }],
      ["graph_apply", { branch, ops: [{ op: "node_upsert", id: "a", type: "b" }] }],
      ["checkout", { ref: branch }],
      ["macro_branch_note", { name: branch, content: "no" }],
    ] as const)
      expect(await refusal(name, args)).toMatchObject({ code: "INVALID_PAYLOAD" });
    expect(texts(await call("show", { branch }))).toHaveLength(4);
  });

  test("a session of the ledger can be read as a graph whose thoughts can be opened", async () => {
    const { client, call } = open();
    const sessionId = await startThinking(client);
    for (const thought of ["one stone", "two"]) await client.call("thought", { sessionId, thought });
    await client.call("thought", { sessionId, thought: "aside", branchFromThought: 1, branchId: "alt" });
    await client.call("thought", { sessionId, thought: "two, better", isRevision: true, revisesThought: 2 });
    const branch = `session/${sessionId}`;
    const id = (end: string) => `${sessionId}:${end}`;
    const idsOf = ({ nodes }: { nodes: { id: string }[] }) => nodes.map((node) => node.id);

    const whole = await call("graph_query", { branch });
    const all = [id("3"), id("alt:2"), id("2"), id("1")];
    expect(idsOf(whole)).toEqual(all);
    expect(whole.nodes[3]).toMatchObject({ type: "thought", text: "one stone", meta: { thoughtNumber: 1 } });
    expect(whole.edges).toHaveLength(4);
    expect(whole.edges).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ from: id("1"), rel: "next", to: id("2") }),
        expect.objectContaining({ from: id("2"), rel: "next", to: id("3") }),
        expect.objectContaining({ from: id("2"), rel: "revision", to: id("3") }),
        expect.objectContaining({ from: id("1"), rel: "branch", to: id("alt:2") }),
      ]),
    );
    expect(await call("open", { id: id("alt:2") })).toMatchObject({ kind: "thought" });

    const first = await call("graph_query", { branch, limit: 3 });
    expect(first).toMatchObject({ pagination: { has_more: true, count: 3 } });
    const rest = await call("graph_query", { branch, limit: 3, cursor: first.pagination.next_cursor });
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(all);
    expect(idsOf(await call("graph_query", { branch, text: "sto" }))).toEqual([id("1")]);
    expect(idsOf(await call("graph_query", { branch, ids: [id("2"), id("9")] }))).toEqual([id("2")]);
    for (const none of [{ types: ["decision"] }, { status: "open" }, { tags_any: ["x"] }, { doc: "other" }])
      expect(idsOf(await call("graph_query", { branch, ...none }))).toEqual([]);

    const near = await call("graph_query", { branch, ids: [id("1")], touching: [id("1")], edges_limit: 1 });
    expect(near).toMatchObject({ edges: [{ to: id("alt:2") }], edges_total: 2, edges_has_more: true });
    const further = { branch, ids: [id("1")], touching: [id("1")], edges_cursor: near.edges_next_cursor };
    expect(await call("graph_query", further)).toMatchObject({
      edges: [{ to: id("2") }],
      edges_has_more: false,
    });
  });

  test("a session that does not exist is an unknown branch", async () => {
    const { call, refusal } = open();
    const branch = "session/00000000-0000-4000-8000-000000000000";
    await call("init");
    for (const [name, args] of [
      ["show", { branch }],
      ["graph_query", { branch }],
      ["docs_list", { ref: branch }],
      ["diff", { from: "main", to: branch }],
      ["diff", { from: branch, to: "main" }],
    ] as const)
      expect((await refusal(name, args)).code).toBe("UNKNOWN_ID");
  });
});

test("with a project lock, sessions of other projects cannot be read as traces either", async () => {
  const dataDir = join(tempDir(), "data");
  const env = { THOUGHTBOX_PROJECT: "mine", THOUGHTBOX_PROJECT_LOCK: "true" };
  const sessionId = await startThinking(createTestApp({ backend: "fs", dataDir }).modern(), {
    project: "theirs",
  });
  const { refusal } = createTestApp({ backend: "fs", dataDir, env }).modern();
  expect((await refusal("show", { branch: `session/${sessionId}` })).code).toBe("UNKNOWN_ID");
  expect((await refusal("open", { id: sessionId })).code).toBe("UNKNOWN_ID");
  expect((await refusal("open", { id: `${sessionId}:1` })).code).toBe("UNKNOWN_ID");
});
