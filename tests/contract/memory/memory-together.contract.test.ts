import { expect, test } from "vitest";
import type { GraphOp } from "../../../src/domain/memory/graph.ts";
import type { MemoryStep } from "../../../src/domain/memory/steps/step.ts";
import { completeItem } from "../../../src/domain/tasks/item-changes.ts";
import { claimLease } from "../../../src/domain/tasks/lease.ts";
import type { Store } from "../../../src/ports/store.ts";
import { noon, openStore, type StoreName, storeNames } from "../../support/stores/stores.ts";
import { memoryLines } from "../../support/views/memory-lines.ts";

const workspace = "acme/repo";
const at = new Date(noon);
const each = [0, 1, 2, 3];

const node = (id: string, title: string): GraphOp => ({
  op: "node_upsert",
  id,
  type: "thing",
  title,
  tags: ["red"],
});
const edge = (from: string, to: string): GraphOp => ({ op: "edge_upsert", from, rel: "r", to });
const apply = (branch: string, ...ops: GraphOp[]): MemoryStep => ({
  do: "apply_graph",
  branch,
  doc: "graph",
  ops,
});
const note = (branch: string, content: string): MemoryStep => ({
  do: "commit",
  branch,
  doc: "notes",
  entry: { kind: "note", content },
});
const create = (name: string, from?: string): MemoryStep => ({ do: "create_branch", name, from });
const createTask: MemoryStep = { do: "create_task", creation: { parent: "PLAN-001", title: "A task" } };
const complete = (target: string): MemoryStep => ({
  do: "change_task",
  target,
  decide: (facts) => completeItem(facts, {}),
});

/** Two of the branches have their own changes, and the others show only their base. */
const prepared: readonly MemoryStep[] = [
  apply("main", node("base", "old"), node("gone", "old"), edge("base", "gone"), edge("gone", "base")),
  note("main", "first"),
  ...each.map((n) => create(`b${n}`, "main")),
  apply("b0", node("base", "own"), edge("base", "base")),
  note("b1", "second"),
  { do: "create_task", creation: { title: "A plan" } },
  createTask,
  createTask,
];

/** Calls that load every kind of fact, in several branches and documents. */
const calls: readonly (readonly MemoryStep[])[] = [
  ...each.map((n) => [
    apply(`b${n}`, node("base", `by ${n}`), { op: "node_delete", id: "gone" }, node("new", "new")),
  ]),
  ...each.map((n) => [note(`b${n}`, `by ${n}`)]),
  [create("late", "b0"), apply("late", node("base", "late"), edge("new", "base"))],
  [create("bare"), apply("bare", node("base", "bare"))],
  [create("later", "b1"), note("later", "later"), apply("later", { op: "node_delete", id: "base" })],
  ...each.map((n) => [apply(`b${n}`, edge("new", "base"), node("newer", "newer"))]),
  [complete("TASK-001")],
  [createTask],
  [createTask],
  [complete("TASK-002")],
  [complete("TASK-003")],
];

async function openPrepared(backend: StoreName) {
  const store = openStore(backend);
  for (const step of prepared) await store.memory.commit(workspace, [step], { at });
  return store;
}

/** Returns the stored data, with the indexes and the counts of each branch. */
async function contentsOf(store: Store) {
  const { memory, upkeep } = store;
  const branches = await memory.listBranches(workspace, { after: "", limit: 100 });
  const shown = branches.map(async ({ name: branch }) => {
    const place = { branch, doc: "graph" };
    const counts = await memory.checkGraph(workspace, place, 10);
    const tagged = await memory.queryNodes(workspace, {
      ...place,
      tagsAny: ["red"],
      includeDeleted: false,
      limit: 50,
    });
    return { branch, counts, tagged };
  });
  const { problems } = await upkeep.inspectMemory();
  return { problems, branches: await Promise.all(shown), ...(await memoryLines(store)) };
}

test.each(storeNames)(
  "calls in one transaction have the same result as one after the other, on %s",
  async (backend) => {
    const [together, apart] = [await openPrepared(backend), await openPrepared(backend)];
    const outcomes = await Promise.all(
      calls.map((steps) => together.memory.commit(workspace, steps, { at })),
    );
    const expected: unknown[] = [];
    for (const steps of calls) expected.push(await apart.memory.commit(workspace, steps, { at }));
    expect(outcomes).toEqual(expected);
    const contents = await contentsOf(together);
    expect(contents).toEqual(await contentsOf(apart));
    expect(contents.problems).toEqual([]);
    expect(contents.branches.map(({ branch }) => branch)).toContain("later");
  },
);

test.each(storeNames)(
  "versions have an author, even if the step that wrote them also needed facts about pending rows, on %s",
  async (backend) => {
    const { memory } = openStore(backend);
    const commit = (step: MemoryStep) => memory.commit(workspace, [step], { at, agent: "ada" });
    await commit({ do: "create_task", creation: { title: "A plan" } });
    for (const _ of [1, 2, 3]) await commit(createTask);
    for (const n of [1, 2]) await commit(complete(`TASK-00${n}`));
    const { versions } = await memory.listVersions(workspace, { id: "task:TASK-002", limit: 10 });
    expect(versions.length).toBeGreaterThan(1);
    expect(versions.map(({ agent }) => agent)).toEqual(versions.map(() => "ada"));
  },
);

test.each(storeNames)(
  "an agent that writes keeps its lease against a claim in the same transaction, on %s",
  async (backend) => {
    const { memory } = openStore(backend);
    const minutes = (n: number) => new Date(at.getTime() + n * 60_000);
    const by = (name: string) => ({ name, keys: [`@${name}`] });
    const claim = (agent_id: string): MemoryStep => ({
      do: "change_task",
      target: "TASK-001",
      decide: (facts) => claimLease(facts, { path: "s:0", agent_id }),
    });
    const steps = [{ title: "A step" }];
    await memory.commit(workspace, [{ do: "create_task", creation: { title: "A plan" } }], { at });
    await memory.commit(
      workspace,
      [{ do: "create_task", creation: { parent: "PLAN-001", title: "A task", steps } }],
      { at },
    );
    await memory.commit(workspace, [claim("ann")], { at, by: by("ann") });
    const [, claimed] = await Promise.allSettled([
      memory.commit(workspace, [note("main", "still here")], { at: minutes(60), by: by("ann") }),
      memory.commit(workspace, [claim("bob")], { at: minutes(61), by: by("bob") }),
    ]);
    expect(claimed).toMatchObject({ status: "rejected", reason: { code: "STEP_LEASE_HELD" } });
  },
);
