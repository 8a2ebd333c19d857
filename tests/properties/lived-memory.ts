import type { GraphOp } from "../../src/domain/memory/graph.ts";
import type { MemoryStep } from "../../src/domain/memory/steps/step.ts";
import type { TaskFacts } from "../../src/domain/tasks/decision.ts";
import { noteStep } from "../../src/domain/tasks/step-changes.ts";
import fc from "../support/fast-check.ts";

export const workspaces = ["acme/repo", "other"] as const;
const names = ["main", "a", "b", "c/d"] as const;
const ids = ["n1", "n2", "n3"] as const;
const words = ["alpha", "beta", "alpha beta"] as const;
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const doc = fc.constantFrom("notes", "graph");
const name = fc.constantFrom(...names);
const edge = { from: fc.constantFrom(...ids), rel: fc.constantFrom("r", "s"), to: fc.constantFrom(...ids) };
const meta = maybe(fc.constantFrom({}, { a: 1, b: [null, "x"] }));

const graphOp = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant("node_upsert" as const),
      id: fc.constantFrom(...ids),
      type: fc.constantFrom("fact", "idea"),
      title: maybe(fc.constantFrom(...words)),
      text: maybe(fc.constantFrom("", ...words)),
      status: maybe(fc.constantFrom("open", "done")),
      tags: maybe(fc.subarray(["blue", "red"])),
      meta,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant("node_delete" as const), id: fc.constantFrom(...ids) }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("edge_upsert" as const), ...edge, meta }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("edge_delete" as const), ...edge }) },
) satisfies fc.Arbitrary<GraphOp>;

const entry = fc.record({
  kind: fc.constantFrom("note" as const, "event" as const),
  content: fc.string({ unit: "grapheme", maxLength: 5 }),
  title: maybe(fc.constantFrom(...words)),
  agent_id: maybe(fc.constant("me")),
  meta,
});
const merge = { from: name, into: name, doc, after: fc.constant(0), limit: fc.constantFrom(1, 100) };

const item = fc.constantFrom("PLAN-001", "TASK-001", "TASK-002");
const noteOnStep = (note: string) => (facts: TaskFacts) => noteStep(facts, { path: "s:0", note });

/** Plans with tasks and steps, which have their own branches, traces, notes and graphs. Also focus and jobs. */
const taskWish = fc.oneof(
  fc.record({
    do: fc.constant("create_task" as const),
    creation: fc.constantFrom(
      { title: "A plan" },
      { title: "A task", parent: "PLAN-001", steps: [{ title: "One step", success_criteria: ["green"] }] },
    ),
  }),
  fc.record({
    do: fc.constant("change_task" as const),
    target: item,
    decide: fc.constantFrom(...words.map(noteOnStep)),
  }),
  fc.record({ do: fc.constant("set_focus" as const), target: maybe(item) }),
  fc.record({
    do: fc.constant("create_job" as const),
    job: fc.record({ title: fc.constantFrom(...words), prompt: fc.constant("Look."), task_id: maybe(item) }),
  }),
) satisfies fc.Arbitrary<MemoryStep>;

/** `pick` selects one of the commits or conflicts that exist by then. */
const wish = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("create_branch" as const), name, from: maybe(name) }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("append" as const), branch: maybe(name), doc, entry }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("commit" as const), branch: maybe(name), doc, entry }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("apply_graph" as const),
      branch: maybe(name),
      doc: fc.constantFrom("graph", "graph", "notes"),
      ops: fc.array(graphOp, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("merge_notes" as const), ...merge }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("merge_graph" as const), ...merge }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("resolve_conflict" as const),
      pick: fc.nat(9),
      resolution: fc.constantFrom("use_from" as const, "use_into" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename_branch" as const), old: name, new: name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("delete_branch" as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("checkout" as const), ref: name }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("reset" as const), branch: name, pick: fc.nat(9), doc }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("create_tag" as const),
      name: fc.constantFrom("v1", "v2"),
      pick: fc.nat(9),
      force: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete_tag" as const), name: fc.constant("v1") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("think" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("merge_session" as const), into: name, doc }) },
  { weight: 3, arbitrary: taskWish },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("collide" as const),
      branch: fc.constantFrom("a", "b", "c/d"),
      id: fc.constantFrom(...ids),
      titles: fc.tuple(fc.constantFrom(...words), fc.constantFrom(...words)),
    }),
  },
);
export type Wish = typeof wish extends fc.Arbitrary<infer Value> ? Value : never;
export const history = fc.array(fc.record({ workspace: fc.constantFrom(...workspaces), wish }), {
  minLength: 5,
  maxLength: 60,
});
export type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;
