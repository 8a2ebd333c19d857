import { describe, expect, test } from "vitest";
import { createBareApp } from "../support/bare-app.ts";
import { quietStores, storeKind } from "../support/stores/stores.ts";
import { startThinking } from "../support/test-app.ts";

/**
 * Over a socket every statement is a round trip, so their number per call is part of the contract. `BEGIN` and `COMMIT`
 * count too. Bounds may only be lowered.
 */
const bounds = {
  thought: 6,
  "64 thoughts at once": 70,
  notes_commit: 8,
  think_card: 22,
  "graph_merge of one key": 25,
  "graph_merge of a key that was merged before": 25,
  "graph_merge of 200 keys": 25,
  "tasks_resume_super of an empty task": 25,
};

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

const stories: Record<keyof typeof bounds, Story> = {
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
  test.each(Object.keys(bounds) as (keyof typeof bounds)[])("%s", async (story) => {
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
    expect(fewest.length).toBeGreaterThan(0);
    expect(fewest.length, fewest.join("\n")).toBeLessThanOrEqual(bounds[story]);
  });
});
