import { type GraphState, keyOf } from "../../src/domain/memory/graph.ts";
import type { GraphOp } from "../../src/domain/memory/graph-ops.ts";
import type { ErrorCode } from "../../src/kernel/errors.ts";
import type { MemoryStep, StepInput } from "../../src/ports/memory/steps.ts";

export type ModelEntry = {
  home: ModelBranch;
  kind: string;
  content: string;
  origin: number;
  copied: boolean;
};
export type ModelVersion = { home: ModelBranch; tick: number; state: GraphState };
type Graph = Map<string, ModelVersion>;

/** Branches are full copies of what they were made from; nothing is looked up anywhere else. */
export type ModelBranch = {
  name: string;
  base: ModelBranch | undefined;
  logs: Map<string, ModelEntry[]>;
  graphs: Map<string, Graph>;
  /** The graphs as they were when the branch was made. */
  start: Map<string, Graph>;
};

export type ModelConflict = {
  /** Given by the store that found it first. */
  id: string;
  from: ModelBranch;
  into: ModelBranch;
  doc: string;
  key: string;
  states: { base: GraphState | null; theirs: GraphState; ours: GraphState | null };
  resolution: string | undefined;
};

type State = { branches: ModelBranch[]; checkout: ModelBranch; conflicts: ModelConflict[]; ticks: number };

export class Refusal extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

/** What is absent, deleted or the same in every field is one. */
function meaning(state: GraphState | null | undefined): string {
  if (!state || state.deleted) return "nothing";
  const isEmpty = (value: unknown) =>
    value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  const sorted = (value: object) =>
    Object.entries(value)
      .filter(([, member]) => !isEmpty(member))
      .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(sorted({ ...state, meta: sorted(state.meta ?? {}) }));
}

/** The rules of branches, notes, graphs and merges (`memory.md` §2–3), with copies instead of lineages. */
export function createMemoryModel() {
  const main = newBranch("main", undefined);
  let state: State = { branches: [main], checkout: main, conflicts: [], ticks: 0 };

  const find = (name: string) => state.branches.find((branch) => branch.name === name);
  function named(name: string | undefined): ModelBranch {
    const branch = name === undefined ? state.checkout : find(name);
    if (!branch) throw new Refusal("UNKNOWN_ID");
    return branch;
  }

  function write(branch: ModelBranch, doc: string, given: GraphState): void {
    const graph = branch.graphs.get(doc) ?? new Map<string, ModelVersion>();
    const { tags, ...rest } = given as GraphState & { tags?: readonly string[] };
    const version = tags && tags.length > 0 ? given : (rest as GraphState);
    graph.set(keyOf(version), { home: branch, tick: ++state.ticks, state: version });
    branch.graphs.set(doc, graph);
  }
  const live = (branch: ModelBranch, doc: string, key: string): GraphState | undefined => {
    const version = branch.graphs.get(doc)?.get(key)?.state;
    return version?.deleted ? undefined : version;
  };

  function applyOp(branch: ModelBranch, doc: string, op: GraphOp, counts: Record<string, number>): void {
    const count = (what: string) => {
      counts[what] = (counts[what] ?? 0) + 1;
    };
    const remove = (key: string): void => {
      const found = live(branch, doc, key);
      if (!found) throw new Refusal("UNKNOWN_ID");
      write(branch, doc, { ...found, deleted: true });
      count(`${found.kind}s_deleted`);
    };
    const { op: name, ...fields } = op;
    if (name === "node_delete") {
      if (!live(branch, doc, op.id)) throw new Refusal("UNKNOWN_ID");
      for (const { key } of liveEdges(branch, doc).filter(({ from, to }) => [from, to].includes(op.id)))
        remove(key);
      remove(op.id);
    } else if (name === "edge_delete") remove(keyOf({ kind: "edge", deleted: false, ...op }));
    else if (name === "node_upsert") {
      write(branch, doc, { kind: "node", deleted: false, ...(fields as typeof op) });
      count("nodes_upserted");
    } else {
      if (!live(branch, doc, op.from) || !live(branch, doc, op.to)) throw new Refusal("UNKNOWN_ID");
      write(branch, doc, { kind: "edge", deleted: false, ...(fields as typeof op) });
      count("edges_upserted");
    }
  }

  function liveEdges(branch: ModelBranch, doc: string) {
    return [...(branch.graphs.get(doc) ?? [])]
      .flatMap(([key, { state: edge, tick }]) =>
        edge.kind === "edge" && !edge.deleted ? [{ key, tick, edge, from: edge.from, to: edge.to }] : [],
      )
      .sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  function mergeNotes({ from, into, doc }: StepInput<"merge_notes">) {
    const [source, target] = [named(from), named(into)];
    const held = [...(target.logs.get(doc) ?? [])];
    const candidates = (source.logs.get(doc) ?? []).filter(
      (entry) => entry.kind === "note" && !held.includes(entry),
    );
    const fresh = candidates.filter(({ origin }) => !held.some((entry) => entry.origin === origin));
    const copies = fresh.map((entry) => ({ ...entry, home: target, copied: true }));
    if (copies.length > 0) target.logs.set(doc, [...held, ...copies]);
    return { merged: fresh.length, skipped: candidates.length - fresh.length };
  }

  function mergeGraph({ from, into, doc }: StepInput<"merge_graph">) {
    const [source, target] = [named(from), named(into)];
    if (source.base !== target) throw new Refusal("MERGE_NOT_SUPPORTED");
    const outcome = { merged: 0, skipped: 0, conflicts: [] as ModelConflict[], nodes: 0, edges: 0 };
    const changed = [...(source.graphs.get(doc) ?? [])].filter(([, { home }]) => home === source);
    for (const [key, { state: theirs }] of changed.sort(([, one], [, other]) => one.tick - other.tick)) {
      const base = source.start.get(doc)?.get(key)?.state ?? null;
      const ours = target.graphs.get(doc)?.get(key)?.state ?? null;
      const [was, comes, is] = [base, theirs, ours].map(meaning);
      const conflict = { from: source, into: target, doc, key, states: { base, theirs, ours } };
      if (comes === was || comes === is || (is !== was && isKnown(conflict))) outcome.skipped += 1;
      else if (is === was) {
        write(target, doc, theirs);
        outcome.merged += 1;
        outcome[`${theirs.kind}s`] += 1;
      } else outcome.conflicts.push({ ...conflict, id: "", resolution: undefined });
    }
    state.conflicts.push(...outcome.conflicts);
    return outcome;
  }

  const isKnown = ({ from, into, doc, key, states }: Omit<ModelConflict, "id" | "resolution">) =>
    state.conflicts.some(
      (known) =>
        known.from === from &&
        known.into === into &&
        known.doc === doc &&
        known.key === key &&
        (["base", "theirs", "ours"] as const).every(
          (side) => meaning(known.states[side]) === meaning(states[side]),
        ),
    );

  function resolve({ id, resolution }: StepInput<"resolve_conflict">) {
    const conflict = state.conflicts.find((known) => known.id === id);
    if (!conflict) throw new Refusal("UNKNOWN_ID");
    if (conflict.resolution === resolution) return { applied: false };
    if (conflict.resolution !== undefined) throw new Refusal("CONFLICT");
    conflict.resolution = resolution;
    if (resolution === "use_from") write(conflict.into, conflict.doc, conflict.states.theirs);
    return { applied: resolution === "use_from" };
  }

  function doStep(step: MemoryStep) {
    switch (step.do) {
      case "create_branch": {
        const taken = find(step.name);
        if (taken && !step.ifMissing) throw new Refusal("CONFLICT");
        const branch = taken ?? newBranch(step.name, named(step.from));
        if (!taken) state.branches.push(branch);
        return { name: branch.name, base_branch: branch.base?.name ?? null, created: !taken };
      }
      case "checkout": {
        const previous = state.checkout.name;
        state.checkout = named(step.ref);
        return { previous, current: step.ref };
      }
      case "rename_branch": {
        const branch = named(step.old);
        if (step.old !== step.new && find(step.new)) throw new Refusal("CONFLICT");
        branch.name = step.new;
        return { previous: step.old, current: step.new };
      }
      case "delete_branch": {
        const branch = named(step.name);
        const isBase = state.branches.some(({ base }) => base === branch);
        if (state.checkout === branch || isBase) throw new Refusal("CONFLICT");
        state.branches = state.branches.filter((other) => other !== branch);
        state.conflicts = state.conflicts.filter(({ into }) => into !== branch);
        return { deleted: true };
      }
      case "append": {
        const home = named(step.branch);
        const { kind, content } = step.entry;
        const entry = { home, kind, content, origin: ++state.ticks, copied: false };
        home.logs.set(step.doc, [...(home.logs.get(step.doc) ?? []), entry]);
        return { branch: home.name, doc: step.doc, kind, content };
      }
      case "apply_graph": {
        const branch = named(step.branch);
        const counts = { nodes_upserted: 0, nodes_deleted: 0, edges_upserted: 0, edges_deleted: 0 };
        for (const op of step.ops) applyOp(branch, step.doc, op, counts);
        return { branch: branch.name, doc: step.doc, ...counts };
      }
      case "merge_notes":
        return mergeNotes(step);
      case "merge_graph":
        return mergeGraph(step);
      case "resolve_conflict":
        return resolve(step);
      default:
        throw new Error(`the model knows nothing of ${step.do}`);
    }
  }

  return {
    /** All steps or none: what is refused happens to a copy that is thrown away. */
    commit(steps: readonly MemoryStep[]): { outcomes: any[] } | { refusedWith: ErrorCode } {
      const before = structuredClone(state);
      try {
        return { outcomes: steps.map(doStep) };
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        state = before;
        return { refusedWith: thrown.code };
      }
    },
    state: () => state as Readonly<State>,
    liveEdges,
    isLive: (branch: ModelBranch, doc: string, key: string) => live(branch, doc, key) !== undefined,
    meaning,
  };
}

export type MemoryModel = ReturnType<typeof createMemoryModel>;

function newBranch(name: string, base: ModelBranch | undefined): ModelBranch {
  const copyGraphs = () => new Map([...(base?.graphs ?? [])].map(([doc, graph]) => [doc, new Map(graph)]));
  const logs = new Map([...(base?.logs ?? [])].map(([doc, entries]) => [doc, [...entries]]));
  return { name, base, logs, graphs: copyGraphs(), start: copyGraphs() };
}
