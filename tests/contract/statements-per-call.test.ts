import { describe, expect, test } from "vitest";
import { putAnchor } from "../../src/domain/memory/meaning-map/change-anchors.ts";
import type { MeaningAnchor } from "../../src/domain/memory/meaning-map/meaning-anchor.ts";
import type { MemoryStep } from "../../src/domain/memory/steps/step.ts";
import { completeItem } from "../../src/domain/tasks/item-changes.ts";
import { createBareApp } from "../support/bare-app.ts";
import { noon, openStore, quietStores, type StoreName, storeKind } from "../support/stores/stores.ts";
import { startThinking } from "../support/test-app.ts";

/**
 * Over a socket, every statement is a round trip, or part of one, so the number of statements per call is
 * part of the contract. Does not include the statements that begin and end transactions, whose number depends
 * on the store. Bounds may only be lowered.
 */
const bounds = {
  thought: 4,
  "64 thoughts at once": 67,
  notes_commit: 5,
  think_card: 17,
  "graph_merge of one key": 19,
  "graph_merge of a key that was merged before": 22,
  "graph_merge of 200 keys": 23,
  "tasks_resume_super of an empty task": 21,
};

type StoryName = keyof typeof bounds;

/** Bounds for all statements of a call, on every store. */
const wholeBounds: { [Name in StoryName]?: number } = {
  thought: 6,
  "64 thoughts at once": 69,
  "graph_merge of one key": 25,
  "graph_merge of 200 keys": 25,
  "tasks_resume_super of an empty task": 25,
};

/** Checks the bound `most`, which excludes the statements that begin and end `transactions`. */
function expectWithin(name: StoreName, statements: readonly string[], most: number, transactions = 1): void {
  const { framing } = storeKind(name);
  const listed = statements.join("\n");
  const work = statements.filter((statement) => !framing.includes(statement));
  expect(work.length).toBeGreaterThan(0);
  expect(work.length, listed).toBeLessThanOrEqual(most);
  expect(statements.length - work.length, listed).toBeLessThanOrEqual(transactions * framing.perCall);
}

type Call = readonly [operation: string, args: Record<string, unknown>];
/** Calls before a round, and the calls in the round that are counted. */
type Round = { before?: Call; counted: readonly Call[] };
type Story = { prepare: readonly Call[]; round(number: number, sessionId: string): Round };

const workspace = "acme/repo";

const apply = (ids: string | readonly string[], branch: string, title?: string): Call => [
  "graph_apply",
  {
    workspace,
    branch,
    doc: "g",
    ops: [ids].flat().map((id) => ({ op: "node_upsert", id, type: "thing", title })),
  },
];
const twoBranches: readonly Call[] = [
  apply("first", "main"),
  ["branch_create", { workspace, name: "side", from: "main" }],
];
const mergeBack: Call = ["graph_merge", { workspace, from: "side", into: "main", doc: "g" }];
const thought = (sessionId: string, n: number): Call => ["thought", { sessionId, thought: `thought ${n}` }];

const stories: Record<StoryName, Story> = {
  thought: { prepare: [], round: (n, sessionId) => ({ counted: [thought(sessionId, n)] }) },
  "64 thoughts at once": {
    prepare: [],
    round: (_, sessionId) => ({ counted: Array.from({ length: 64 }, (_, n) => thought(sessionId, n)) }),
  },
  notes_commit: {
    prepare: [],
    round: (n) => ({ counted: [["notes_commit", { workspace, content: `note ${n}` }]] }),
  },
  think_card: {
    prepare: [],
    round: (n) => ({
      counted: [["think_card", { workspace, card: { type: "hypothesis", title: `card ${n}` } }]],
    }),
  },
  "graph_merge of one key": {
    prepare: twoBranches,
    round: (n) => ({ before: apply(`key-${n}`, "side"), counted: [mergeBack] }),
  },
  "graph_merge of a key that was merged before": {
    prepare: [...twoBranches, apply("key", "side"), mergeBack],
    round: (n) => ({ before: apply("key", "side", `round ${n}`), counted: [mergeBack] }),
  },
  "graph_merge of 200 keys": {
    prepare: twoBranches,
    round: (n) => ({
      before: apply(
        Array.from({ length: 200 }, (_, m) => `key-${n}-${m}`),
        "side",
      ),
      counted: [mergeBack],
    }),
  },
  "tasks_resume_super of an empty task": {
    prepare: [
      ["tasks_create", { workspace, title: "A plan" }],
      ["tasks_create", { workspace, parent: "PLAN-001", title: "A task" }],
    ],
    round: () => ({ counted: [["tasks_resume_super", { workspace, target: "TASK-001" }]] }),
  },
};

const rounds = 4;

describe.each(quietStores)("statements on %s", (name) => {
  test.each(Object.keys(bounds) as StoryName[])("%s", async (story) => {
    let statements: string[] = [];
    storeKind(name).watchStatements((statement) => statements.push(statement));
    const client = createBareApp(name).modern();
    const sessionId = await startThinking(client);
    const call = ([operation, args]: Call) => client.call(operation, args);
    const { prepare, round } = stories[story];
    for (const step of prepare) await call(step);
    const seen: string[][] = [];
    for (let n = 0; n < rounds; n += 1) {
      const { before, counted } = round(n, sessionId);
      if (before) await call(before);
      statements = [];
      await Promise.all(counted.map(call));
      seen.push(statements);
    }
    // A server that has just started has cached nothing, and the word index may catch up during a round.
    const fewest = seen.reduce((one, other) => (other.length < one.length ? other : one));
    expectWithin(name, fewest, bounds[story]);
    expect(fewest.length, fewest.join("\n")).toBeLessThanOrEqual(wholeBounds[story] ?? fewest.length);
  });
});

/**
 * Concurrent commits share a transaction. The number of its statements must not depend on the number of
 * commits.
 */
const callers = 64;
const at = new Date(noon);
const each = Array.from({ length: callers }, (_, n) => n);
type Crowd = {
  most: number;
  /** Default: all. */
  size?: number;
  prepare?: readonly MemoryStep[];
  step(n: number): MemoryStep;
};

const task = (n: number) => `TASK-${String(n + 1).padStart(3, "0")}`;
const note = (doc: string): MemoryStep => ({ do: "commit", doc, entry: { kind: "note", content: "text" } });
const plan: MemoryStep = { do: "create_task", creation: { title: "A plan" } };
const tasks = each.map((n): MemoryStep => {
  return { do: "create_task", creation: { parent: "PLAN-001", title: `Task ${n}` } };
});
const focus = (n: number): MemoryStep => ({ do: "set_focus", target: task(n) });
const areas = each.map((n) => `a:area-${n}`);
const putAnchors: MemoryStep = {
  do: "change_anchors",
  names: areas,
  decide(facts) {
    const put = areas.map((id) => putAnchor(facts, { id, title: "An area", kind: "component" }));
    const [anchor] = put.map((one) => one.anchor) as [MeaningAnchor];
    return { put: put.map((one) => one.anchor), removed: [], anchor, created: true };
  },
};
const removeAnchors: MemoryStep = {
  do: "change_anchors",
  names: areas,
  decide: ({ anchors }) => {
    const [anchor] = anchors.values() as unknown as [MeaningAnchor];
    return { put: [], removed: areas, anchor, created: false };
  },
};
/** Creates a tag at number 2, because the workspace takes number 1. */
const tag = (n: number): MemoryStep => ({ do: "create_tag", name: `v${n}`, seq: 2, force: false });
const branch = (n: number) => `branch-${n}`;
const inGraph = (doc: string, title: string, on?: string): MemoryStep => ({
  do: "apply_graph",
  branch: on,
  doc,
  ops: [
    { op: "node_upsert", id: "one", type: "thing", title, tags: ["red"] },
    { op: "node_upsert", id: title, type: "thing" },
    { op: "edge_upsert", from: title, rel: "r", to: "one" },
  ],
});

const crowds: Record<string, Crowd> = {
  "notes in one document": { most: 16, step: () => note("notes") },
  "one note per document": { most: 16, step: (n) => note(`notes ${n}`) },
  "one more note per document": {
    most: 14,
    prepare: each.map((n) => note(`notes ${n}`)),
    step: (n) => note(`notes ${n}`),
  },
  "one tag per caller": { most: 11, prepare: [note("notes")], step: tag },
  "one deleted tag per caller": {
    most: 9,
    prepare: [note("notes"), ...each.map(tag)],
    step: (n) => ({ do: "delete_tag", name: `v${n}` }),
  },
  "one checkout per caller": {
    most: 12,
    prepare: each.map((n) => ({ do: "create_branch", name: branch(n) })),
    step: (n) => ({ do: "checkout", ref: branch(n) }),
  },
  "one focus per caller": { most: 12, prepare: [plan, ...tasks], step: focus },
  "one cleared focus per caller": {
    most: 11,
    prepare: [plan, ...tasks, focus(0)],
    step: (n) => ({ do: "set_focus", target: undefined, was: task(n) }),
  },
  /** The names of a new task depend on the tasks before it, so two facts are loaded for each. */
  "one new task per caller": { most: 158, prepare: [plan], step: (n) => tasks[n] as MemoryStep },
  "one graph per caller": {
    most: 21,
    prepare: each.map((n) => inGraph(`graph ${n}`, "old")),
    step: (n) => inGraph(`graph ${n}`, "new"),
  },
  "one branch per caller": {
    most: 20,
    prepare: [
      inGraph("graph", "old"),
      ...each.map((n): MemoryStep => ({ do: "create_branch", name: branch(n) })),
    ],
    step: (n) => inGraph("graph", "new", branch(n)),
  },
  /** Each task has a graph on a branch. */
  "one completed task per caller": {
    most: 49,
    prepare: [plan, ...tasks],
    step: (n) => ({ do: "change_task", target: task(n), decide: (facts) => completeItem(facts, {}) }),
  },
  "all anchors in one call": { most: 9, size: 1, step: () => putAnchors },
  "all anchors removed in one call": {
    most: 9,
    size: 1,
    prepare: [putAnchors],
    step: () => removeAnchors,
  },
};

describe.each(quietStores)(`${callers} callers at once on %s`, (name) => {
  test.each(Object.keys(crowds))("%s", async (crowd) => {
    const statements: string[] = [];
    storeKind(name).watchStatements((statement) => statements.push(statement));
    const { memory } = openStore(name);
    const { most, size = callers, prepare = [], step } = crowds[crowd] as Crowd;
    await memory.commit("acme", [{ do: "bootstrap" }, ...prepare], { at });
    statements.length = 0;
    const by = (n: number) => ({ name: `agent ${n}`, keys: [`agent ${n}`, `connection ${n}`] });
    await Promise.all(each.slice(0, size).map((n) => memory.commit("acme", [step(n)], { at, by: by(n) })));
    // After the first write, a store looks for abandoned merges.
    expectWithin(name, statements, most, 2);
  });
});
