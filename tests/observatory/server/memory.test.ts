import { describe, expect, test } from "vitest";
import { createRepository } from "../../support/git/repository.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openAgent, openObservatory } from "./observatory.testing.ts";

const card = (id: string, type: string, more: object = {}) => ({
  op: "node_upsert",
  id,
  type,
  title: `${type} ${id}`,
  status: "open",
  ...more,
});
const edge = (from: string, rel: string, to: string) => ({ op: "edge_upsert", from, rel, to });

test("a workspace is shown with its branches, cards, signals and graph", async () => {
  const { call, json } = await openObservatory({ env: { THOUGHTBOX_WORKSPACE: "shop" } });
  await call("init", {});
  await call("graph_apply", {
    ops: [
      card("CARD-1", "hypothesis", { tags: ["pinned"], meta: { thought: "s:1" } }),
      card("CARD-2", "test"),
      card("CARD-3", "evidence"),
      card("CARD-4", "hypothesis"),
      card("x", "module"),
      edge("CARD-2", "supports", "CARD-1"),
      edge("CARD-3", "supports", "CARD-2"),
      edge("x", "contains", "CARD-4"),
    ],
  });
  expect(await json("/api/memory/branches")).toMatchObject({
    workspace: "shop",
    checkout: "main",
    branches: [{ name: "main", cards: { count: 4, has_more: false } }],
  });
  const { cards, edges } = await json("/api/memory/cards");
  expect(cards.map(({ id }: { id: string }) => id).sort()).toEqual(["CARD-1", "CARD-2", "CARD-3", "CARD-4"]);
  expect(cards).toContainEqual(
    expect.objectContaining({ id: "CARD-1", pinned: true, thought: "s:1", confidence: expect.any(Number) }),
  );
  expect(cards).toContainEqual(expect.objectContaining({ id: "CARD-3", score: expect.any(Number) }));
  expect(edges).toContainEqual({ from: "CARD-2", rel: "supports", to: "CARD-1" });
  const { signals } = await json("/api/memory/signals");
  const untested = signals.find(({ code }: { code: string }) => code === "BM4_HYPOTHESIS_NO_TEST");
  expect(untested).toMatchObject({
    severity: "high",
    refs: ["CARD-4"],
    action: { priority: "high", call: { operation: "think_card" } },
  });
  const near = await json("/api/memory/graph?id=CARD-1&steps=1");
  expect(
    near.nodes.map(({ id, distance }: { id: string; distance: number }) => [id, distance]).sort(),
  ).toEqual([
    ["CARD-1", 0],
    ["CARD-2", 1],
  ]);
  expect(await json("/api/memory/tasks")).toMatchObject({ workspace: "shop", plans: [], tasks: [] });
});

test("decisions show what was rejected, whether they still apply and whether their files changed", async () => {
  const repository = createRepository(tempDir());
  repository.write("src/pool.ts", "export const size = 20;\n");
  repository.commit("start", 0);
  const { call, json } = await openObservatory({ workingDirectory: repository.directory });
  const pool = await call("decide", {
    title: "Pool of 20",
    chosen: "20",
    because: "The database allows 25.",
    rejected: [{ option: "40", why: "Too many" }],
    files: ["src/pool.ts:1"],
  });
  const host = await call("decide", {
    title: "One host",
    chosen: "one",
    because: "The pool is small.",
    rests_on: [pool.id],
  });
  const shown = async () => {
    const { cards } = await json("/api/memory/cards");
    const find = ({ id }: { id: string }) => cards.find((card: { id: string }) => card.id === id);
    return [find(pool), find(host)];
  };
  const decided = { state: "holds", chosen: "20", rejected: [{ option: "40", why: "Too many" }] };
  expect(await shown()).toMatchObject([
    { ground: "holds", thought: pool.thought, decision: { ...decided, files: ["src/pool.ts:1"] } },
    { ground: "holds", decision: { state: "holds" } },
  ]);

  repository.write("src/pool.ts", "export const size = 40;\n");
  repository.commit("a larger pool", 1);
  expect(await shown()).toMatchObject([
    {
      ground: "moved",
      ground_moved: ["src/pool.ts:1"],
      ground_now: ["src/pool.ts:1 is now: export const size = 40;"],
    },
    { ground: "moved", ground_moved: [`${pool.id}: src/pool.ts:1`] },
  ]);

  const next = await call("decide", {
    title: "Pool of 40",
    chosen: "40",
    because: "A larger database.",
    reverses: [pool.id],
  });
  expect(await shown()).toMatchObject([
    { decision: { state: "reversed", reversed_by: next.id } },
    { decision: { state: "in_doubt" }, rests_on_reversed: [pool.id] },
  ]);
});

test("tasks are shown with every step, its lease, and their own cards", async () => {
  const { call, json } = await openObservatory({ env: { THOUGHTBOX_WORKSPACE: "shop" } });
  await call("init", {});
  await call("tasks_create", { title: "Logins below 200 ms" });
  const steps = [{ title: "Count the waiting ones" }, { title: "Pin the resolver" }];
  await call("tasks_create", { parent: "PLAN-001", title: "Find what holds the connections", steps });
  await call("tasks_focus_set", { target: "TASK-001" });
  await call("tasks_done", { path: "s:0" });
  await call("tasks_step_lease_claim", { path: "s:1", agent_id: "ada" });
  await call("think_card", { card: { type: "hypothesis", title: "The pool is too small" } });
  expect((await json("/api/memory/branches")).branches).toContainEqual(
    expect.objectContaining({ name: "task/TASK-001", cards: { count: 1, has_more: false } }),
  );
  await call("branch_create", { name: "try", from: "task/TASK-001" });
  await call("branch_create", { name: "try-again", from: "try" });
  for (const name of ["try", "try-again"])
    expect((await json("/api/memory/branches")).branches).toContainEqual(
      expect.objectContaining({ name, cards: { count: 1, has_more: false }, doc: "TASK-001-graph" }),
    );
  expect(await json("/api/memory/tasks")).toEqual({
    workspace: "shop",
    hasMore: false,
    focus: "TASK-001",
    plans: [{ id: "PLAN-001", title: "Logins below 200 ms", status: expect.any(String) }],
    tasks: [
      {
        ...{ id: "TASK-001", plan: "PLAN-001", title: "Find what holds the connections" },
        status: expect.any(String),
        steps: [
          { path: "s:0", title: "Count the waiting ones", completed: true },
          {
            ...{ path: "s:1", title: "Pin the resolver", completed: false, leasedBy: "ada" },
            lease: { by: "ada", heardAt: expect.any(Number), ends: expect.any(Number) },
          },
        ],
        state: "active",
        reasons: [],
        updatedAt: expect.any(Number),
      },
    ],
  });
  const { branch, doc, cards } = await json("/api/memory/cards?target=TASK-001");
  expect({ branch, doc }).toEqual({ branch: "task/TASK-001", doc: "TASK-001-graph" });
  expect(cards).toMatchObject([{ type: "hypothesis", title: "The pool is too small" }]);
  const { signals } = await json("/api/memory/signals?target=TASK-001");
  expect(signals).toMatchObject([
    { refs: [cards[0].id], action: { call: { operation: expect.any(String) } } },
  ]);
  const { operation, args } = signals[0].action.call;
  await call(operation, args);
  expect((await json("/api/memory/cards?target=TASK-001")).cards).toHaveLength(2);
});

test("a conflict is shown field by field, with the calls that settle it", async () => {
  const { call, json } = await openObservatory();
  await call("init", {});
  await call("graph_apply", { ops: [card("n", "decision")] });
  await call("branch_create", { name: "try" });
  await call("graph_apply", { branch: "try", ops: [card("n", "decision", { title: "theirs" })] });
  await call("graph_apply", {
    branch: "main",
    ops: [card("n", "decision", { title: "ours", tags: ["a", "b"] })],
  });
  await call("graph_merge", { from: "try", into: "main" });
  const { into, conflicts } = await json("/api/memory/conflicts?into=main");
  expect(into).toBe("main");
  expect(conflicts).toMatchObject([
    {
      key: "n",
      kind: "node",
      base: { title: "decision n" },
      ours: { title: "ours", tags: "a, b" },
      theirs: { title: "theirs" },
    },
  ]);
  const { operation, args } = conflicts[0].takeTheirs;
  await call(operation, args);
  expect((await json("/api/memory/conflicts?into=main")).conflicts).toEqual([]);
});

test("an unused workspace is empty, not a failure", async () => {
  const { json } = await openObservatory();
  expect(await json("/api/memory/cards")).toMatchObject({ cards: [], edges: [] });
  expect(await json("/api/memory/signals")).toMatchObject({ signals: [] });
  expect(await json("/api/memory/graph")).toMatchObject({ nodes: [], edges: [] });
  expect(await json("/api/memory/branches")).toMatchObject({ branches: [] });
  expect(await json("/api/memory/conflicts")).toMatchObject({ conflicts: [] });
  expect(await json("/api/memory/tasks")).toMatchObject({ tasks: [] });
});

describe("the workspaces of the store", () => {
  const write = (workspace: string) =>
    ["notes_commit", { workspace, content: `kept in ${workspace}` }] as const;

  test("are all listed, the last written first, regardless of the author", async () => {
    const { call, json, dataDir } = await openObservatory();
    const other = openAgent(dataDir);
    await other.call(...write("shop"));
    await other.call(...write("thoughtbox"));
    expect(await json("/api/memory/workspaces")).toEqual({
      workspaces: ["thoughtbox", "shop", "default"],
      inUse: ["thoughtbox", "shop"],
      current: "default",
    });
    await call("tasks_create", { workspace: "shop", title: "Open at eight" });
    await call("init", {});
    expect((await json("/api/memory/workspaces")).inUse).toEqual(["default", "shop", "thoughtbox"]);
  });

  test("are those of the allow list if there is one, used or not", async () => {
    const env = { THOUGHTBOX_WORKSPACE: "mine", THOUGHTBOX_WORKSPACE_ALLOW: "mine,shop,later" };
    const { json, dataDir } = await openObservatory({ env });
    const other = openAgent(dataDir);
    for (const name of ["shop", "hidden"]) await other.call(...write(name));
    expect(await json("/api/memory/workspaces")).toEqual({
      workspaces: ["shop", "mine", "later"],
      inUse: ["shop"],
      current: "mine",
    });
  });

  test("leave out those that a project guard closes to calls", async () => {
    const { json, dataDir } = await openObservatory({ env: { THOUGHTBOX_PROJECT_GUARD: "repo:ours" } });
    await openAgent(dataDir, { THOUGHTBOX_PROJECT_GUARD: "repo:theirs" }).call("init", {
      workspace: "theirs",
    });
    await openAgent(dataDir).call(...write("free"));
    expect((await json("/api/memory/workspaces")).inUse).toEqual(["free"]);
  });

  test("are limited to the newest two hundred", async () => {
    const { call, json } = await openObservatory();
    for (let number = 0; number < 205; number++) await call(...write(`w${number}`));
    const { inUse } = await json("/api/memory/workspaces");
    expect(inUse).toHaveLength(200);
    expect([inUse[0], inUse.at(-1)]).toEqual(["w204", "w5"]);
  });
});

test("notes and documents of every branch are counted, under any document name", async () => {
  const { call, json } = await openObservatory();
  await call("notes_commit", { content: "one" });
  await call("branch_create", { name: "try" });
  await call("notes_commit", { content: "two", branch: "try", doc: "notes-1" });
  const { total, notes, docs } = await json("/api/memory/notes");
  expect(total).toBe(2);
  expect(notes.map(({ content }: { content: string }) => content)).toEqual(["two", "one"]);
  expect(docs.map(({ doc }: { doc: string }) => doc)).toEqual(["notes", "notes-1"]);
});

test("notes of every branch are listed once, newest first, and pinned cards are rules", async () => {
  const { call, json } = await openObservatory({ env: { THOUGHTBOX_PROJECT: "shop" } });
  const secret = `ghp_${"a1B2".repeat(9)}`;
  await call("notes_commit", { content: `one ${secret}`, meta: { thought: "s:1" } });
  await call("branch_create", { name: "try" });
  await call("notes_commit", { content: "two", branch: "try", agent_id: "codex" });
  await call("merge", { from: "try", into: "main" });
  const rule = { op: "node_upsert", id: "r", type: "note", title: "Ask first", tags: ["pinned"] };
  await call("graph_apply", { branch: "try", ops: [rule] });
  const answer = await json("/api/memory/notes");
  expect(answer).toMatchObject({
    total: 2,
    notes: [
      { content: "two", branch: "try", agent: "codex" },
      { branch: "main", thought: "s:1" },
    ],
    rules: [{ id: "r", title: "Ask first", branch: "try" }],
    rulesTotal: 1,
  });
  expect(JSON.stringify(answer)).not.toContain(secret);
});
