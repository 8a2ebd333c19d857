import { edgeKey, type GraphOp } from "../../src/domain/memory/graph.ts";
import type { MemoryStep } from "../../src/domain/memory/steps/step.ts";
import type { NodeQuery } from "../../src/ports/memory/graph.ts";
import fc from "../support/fast-check.ts";
import type { MemoryModel } from "./memory-model.ts";

/** Documents that histories write to. */
export const docs = ["notes", "graph"] as const;
const names = ["a", "b", "c/d", "e", "f", "constructor", "A"] as const;
const ids = ["n1", "N1", "__proto__", "n ü"] as const;
const tags = ["__proto__", "blue", "red"] as const;
const words = ["alpha", "alto", "beta bravo", "gamma alpha", "日本 alto"] as const;

const maybe = <Value>(arbitrary: fc.Arbitrary<Value>, percent = 50) =>
  fc.oneof({ weight: 100 - percent, arbitrary: fc.constant(undefined) }, { weight: percent, arbitrary });
const someTags = fc.subarray([...tags]);
const someMeta = fc.constantFrom({}, { a: 1, b: [2] }, { b: [2], a: 1 }, { deep: { deleted: true } });
const edge = { from: fc.constantFrom(...ids), rel: fc.constantFrom("r", "s"), to: fc.constantFrom(...ids) };

const graphOp = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant("node_upsert" as const),
      id: fc.constantFrom(...ids),
      type: fc.constantFrom("fact", "idea"),
      title: maybe(fc.constantFrom(...words)),
      text: maybe(fc.constantFrom(...words)),
      status: maybe(fc.constantFrom("open", "done")),
      tags: maybe(someTags),
      meta: maybe(someMeta),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant("node_delete" as const), id: fc.constantFrom(...ids) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant("edge_upsert" as const), ...edge, meta: maybe(someMeta) }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("edge_delete" as const), ...edge }) },
) satisfies fc.Arbitrary<GraphOp>;

/** Branches are picked by number from the existing ones. `undefined` is the checkout. */
const branch = fc.nat({ max: 50 });
const doc = fc.constantFrom(...docs);
const wish = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("create_branch" as const),
      name: fc.constantFrom(...names),
      from: maybe(branch),
      ifMissing: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      branch: maybe(branch),
      doc,
      kind: fc.constantFrom("note" as const, "note" as const, "event" as const),
      content: fc.string({ unit: "grapheme", minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant("apply_graph" as const),
      branch: maybe(branch, 80),
      doc: fc.constantFrom("graph", "graph", "graph", "notes"),
      ops: fc.array(graphOp, { minLength: 1, maxLength: 5 }),
      careless: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("merge_notes" as const), from: branch, into: branch, doc }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("merge_graph" as const),
      from: branch,
      into: maybe(branch),
      way: fc.constantFrom("back", "back", "back", "back", "on", "on", "on", "elsewhere"),
      doc: fc.constantFrom("graph", "graph", "graph", "notes"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("resolve_conflict" as const),
      pick: fc.nat({ max: 20 }),
      resolution: fc.constantFrom("use_from" as const, "use_into" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("rename_branch" as const),
      old: branch,
      new: fc.constantFrom(...names),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delete_branch" as const), name: branch }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("restore_branch" as const),
      pick: fc.nat({ max: 5 }),
      as: maybe(fc.constantFrom(...names)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("checkout" as const), ref: branch }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("collide" as const),
      branch,
      id: fc.constantFrom(...ids),
      titles: fc.tuple(fc.constantFrom(...words), fc.constantFrom(...words)),
      gone: fc.constantFrom("neither", "ours", "theirs"),
    }),
  },
);
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));
type Wish = typeof wish extends fc.Arbitrary<infer Value> ? Value : never;

/** A move: usually one step, and sometimes several in one transaction, any of which may be refused. */
const move = fc.record({
  wishes: fc.oneof(
    { weight: 6, arbitrary: fc.array(wish, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(wish, { minLength: 2, maxLength: 4 }) },
  ),
  pageSize: fc.integer({ min: 1, max: 4 }),
  look: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});

const query = fc.record({
  ids: maybe(fc.subarray([...ids], { minLength: 1 }), 35),
  types: maybe(fc.subarray(["fact", "idea", "nothing"]), 35),
  status: maybe(fc.constantFrom("open", "done"), 35),
  tagsAny: maybe(someTags, 35),
  tagsAll: maybe(someTags, 35),
  text: maybe(fc.constantFrom("al", "alpha", "bravo beta", "alto 日", "zeta", "gam"), 35),
  includeDeleted: fc.boolean(),
  limit: fc.integer({ min: 1, max: 7 }),
}) satisfies fc.Arbitrary<Omit<NodeQuery, "branch" | "doc">>;

export const history = fc.record({
  moves: fc.array(move, { minLength: 5, maxLength: 45, size: "max" }),
  queries: fc.array(query, { minLength: 3, maxLength: 5, size: "max" }),
});

/** Without these first steps, most histories end before two branches meet. */
export const prelude: MemoryStep[] = [
  {
    do: "apply_graph",
    doc: "graph",
    ops: ids.slice(0, 3).map((id) => ({ op: "node_upsert", id, type: "fact" })),
  },
  { do: "create_branch", name: "a" },
  { do: "create_branch", name: "b", from: "a" },
];

/** Translates a wish into existing names. Sometimes these names are no longer valid when the step runs. */
export function toSteps(model: MemoryModel, wanted: Wish): MemoryStep[] {
  const { branches, conflicts } = model.state();
  const derived = branches.filter(({ base }) => base);
  const named = (n: number): string => (n === 50 ? "nowhere" : (branches[n % branches.length]?.name ?? "-"));
  const optional = (n: number | undefined) => (n === undefined ? undefined : named(n));
  switch (wanted.do) {
    case "create_branch": {
      const { ifMissing, from, ...rest } = wanted;
      return [{ ...rest, from: optional(from), ...(ifMissing && { ifMissing }) }];
    }
    case "append": {
      const { kind, content, ...rest } = wanted;
      return [{ ...rest, branch: optional(wanted.branch), entry: { kind, content } }];
    }
    case "apply_graph": {
      const { careless, doc: graph } = wanted;
      const ops = wanted.ops.map(plain);
      const on = optional(wanted.branch);
      const able = careless ? ops : possible(model, on, graph, ops);
      return able.length > 0 ? [{ do: "apply_graph", branch: on, doc: graph, ops: able }] : [];
    }
    case "merge_notes":
      return [{ ...wanted, from: named(wanted.from), into: named(wanted.into), after: 0, limit: 1_000 }];
    case "merge_graph": {
      const source = derived[wanted.from % Math.max(1, derived.length)];
      const base = source?.base && branches.includes(source.base) ? source.base.name : "main";
      const name = source?.name ?? "main";
      const [from, into] =
        wanted.way === "on" ? [base, name] : [name, wanted.way === "back" ? base : optional(wanted.into)];
      return [{ do: "merge_graph", from, into: into ?? "main", doc: wanted.doc, after: 0, limit: 1_000 }];
    }
    case "resolve_conflict": {
      if (conflicts.length === 0 && wanted.pick > 0) return [];
      const id = conflicts[wanted.pick % conflicts.length]?.id ?? "CONFLICT-unknown";
      return [{ do: wanted.do, id, resolution: wanted.resolution }];
    }
    case "rename_branch":
      return [{ ...wanted, old: named(wanted.old) }];
    case "restore_branch": {
      const { deleted } = model.state();
      if (deleted.length === 0 && wanted.pick > 0) return [];
      const name = deleted[wanted.pick % deleted.length]?.name ?? "nowhere";
      return [{ do: "restore_branch", name, as: wanted.as }];
    }
    case "delete_branch":
      return [{ ...wanted, name: named(wanted.name) }];
    case "checkout":
      return [{ ...wanted, ref: named(wanted.ref) }];
    case "collide": {
      const source = derived[wanted.branch % Math.max(1, derived.length)];
      const { id, titles, gone } = wanted;
      return [source?.base, source].flatMap((side, n): MemoryStep[] => {
        const upsert = { op: "node_upsert" as const, id, type: "fact", title: titles[n] };
        const removal = gone === ["ours", "theirs"][n] ? [{ op: "node_delete" as const, id }] : [];
        return side
          ? [{ do: "apply_graph", branch: side.name, doc: "graph", ops: [upsert, ...removal] }]
          : [];
      });
    }
  }
}

/** Returns the operations whose requirements are met, checked in order. */
function possible(model: MemoryModel, on: string | undefined, graph: string, ops: GraphOp[]): GraphOp[] {
  const { branches, checkout } = model.state();
  const target = on === undefined ? checkout : branches.find(({ name }) => name === on);
  const held = [...(target?.graphs.get(graph) ?? [])].filter(([, { state }]) => !state.deleted);
  const live = new Set(held.map(([key]) => key));
  return ops.filter((op) => {
    if (op.op === "node_upsert") live.add(op.id);
    if (op.op === "edge_upsert" && live.has(op.from) && live.has(op.to)) live.add(edgeKey(op));
    const key = "id" in op ? op.id : edgeKey(op);
    const able = live.has(key);
    if (op.op === "node_delete")
      for (const other of live) if (other.split("|").includes(op.id)) live.delete(other);
    if (op.op === "edge_delete") live.delete(key);
    return able;
  });
}
