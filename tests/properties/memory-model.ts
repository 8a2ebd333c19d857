import { type GraphOp, type GraphState, keyOf } from "../../src/domain/memory/graph.ts";
import type { MemoryStep, StepInput } from "../../src/domain/memory/steps/step.ts";
import type { ErrorCode } from "../../src/kernel/errors.ts";

export type ModelEntry = {
  home: ModelBranch;
  kind: string;
  content: string;
  origin: number;
  copied: boolean;
};
export type ModelVersion = { home: ModelBranch; tick: number; state: GraphState };
type Graph = Map<string, ModelVersion>;

/** Each branch is a full copy of its parent, so nothing is looked up elsewhere. */
export type ModelBranch = {
  name: string;
  base: ModelBranch | undefined;
  logs: Map<string, ModelEntry[]>;
  graphs: Map<string, Graph>;
  /** The graphs at the time the branch was created, and that time. */
  start: Map<string, Graph>;
  madeAt: number;
};

export type ModelConflict = {
  /** The ID that the first store assigned to the conflict. */
  id: string;
  from: ModelBranch;
  into: ModelBranch;
  doc: string;
  key: string;
  states: { base: GraphState | null; theirs: GraphState; ours: GraphState | null };
  resolution: string | undefined;
};

/** For one key, the source's state when the two branches last agreed. */
type Settled = { pair: [ModelBranch, ModelBranch]; doc: string; key: string; state: GraphState | null };

type State = {
  branches: ModelBranch[];
  /** Deleted branches, in the order in which they were deleted. */
  deleted: ModelBranch[];
  checkout: ModelBranch;
  conflicts: ModelConflict[];
  settled: Settled[];
  ticks: number;
};

export class Refusal extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

/** Returns the same text for absent and deleted states, and for states with the same fields. */
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

/** Models branches, notes, graphs and merges (`memory.md` §2–3), with copies instead of lineages. */
export function createMemoryModel() {
  const main = newBranch("main", undefined, 0);
  let state: State = {
    branches: [main],
    deleted: [],
    checkout: main,
    conflicts: [],
    settled: [],
    ticks: 0,
  };

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

  const shown = (branch: ModelBranch, doc: string, key: string): GraphState | null =>
    branch.graphs.get(doc)?.get(key)?.state ?? null;

  const isPair = ({ pair }: Settled, one: ModelBranch, other: ModelBranch) =>
    pair.includes(one) && pair.includes(other);

  function agreed(source: ModelBranch, target: ModelBranch, doc: string, key: string): GraphState | null {
    const settled = state.settled.find(
      (one) => isPair(one, source, target) && one.doc === doc && one.key === key,
    );
    const child = source.base === target ? source : target;
    return settled ? settled.state : (child.start.get(doc)?.get(key)?.state ?? null);
  }

  function settle(source: ModelBranch, target: ModelBranch, doc: string, key: string): void {
    state.settled = state.settled.filter(
      (one) => !(isPair(one, source, target) && one.doc === doc && one.key === key),
    );
    state.settled.push({ pair: [source, target], doc, key, state: shown(source, doc, key) });
  }

  function judge(source: ModelBranch, target: ModelBranch, doc: string, key: string) {
    const states = {
      base: agreed(source, target, doc, key),
      theirs: shown(source, doc, key),
      ours: shown(target, doc, key),
    };
    const [was, comes, is] = [states.base, states.theirs, states.ours].map(meaning);
    if (comes === was) return { verdict: "unchanged", states };
    if (comes === is) return { verdict: "equal", states };
    return { verdict: is === was ? "apply" : "conflict", states };
  }

  const endsOf = (given: GraphState | null) => (given?.kind === "edge" ? [given.from, given.to] : []);

  function mergeGraph({ from, into, doc }: StepInput<"merge_graph">) {
    const [source, target] = [named(from), named(into)];
    if (source.base !== target && target.base !== source) throw new Refusal("MERGE_NOT_SUPPORTED");
    const since = target.base === source ? target.madeAt : 0;
    const changed = [...(source.graphs.get(doc) ?? [])]
      .filter(([, { home, tick }]) => home === source && tick > since)
      .sort(([, one], [, other]) => one.tick - other.tick)
      .map(([key]) => key);
    const judged = new Map(changed.map((key) => [key, judge(source, target, doc, key)]));
    const verdictOf = (key: string) => judged.get(key)?.verdict;
    // An edge waits if one of its ends is in conflict.
    for (const one of judged.values())
      if (one.verdict === "apply")
        if (
          endsOf(one.states.theirs ?? one.states.ours).some(
            (node) => judge(source, target, doc, node).verdict === "conflict",
          )
        )
          one.verdict = "waits";
    // An edge is not merged if one of its ends would be missing.
    const livesAfterwards = (node: string) => {
      const { verdict, states } = judge(source, target, doc, node);
      return meaning(verdict === "apply" ? states.theirs : states.ours) !== "nothing";
    };
    for (const one of judged.values())
      if (one.verdict === "apply" && meaning(one.states.theirs) !== "nothing")
        if (!endsOf(one.states.theirs).every(livesAfterwards)) one.verdict = "conflict";
    // A node is not deleted while an edge in the target uses it. That edge is the conflict.
    const torn = new Map<string, ReturnType<typeof judge>>();
    for (const { key: edge, from: start, to: end } of liveEdges(target, doc)) {
      if (verdictOf(edge) === "apply" && meaning(shown(source, doc, edge)) === "nothing") continue;
      const lost = [start, end].filter(
        (node) =>
          ["apply", "waits"].includes(verdictOf(node) ?? "") &&
          meaning(shown(source, doc, node)) === "nothing",
      );
      for (const node of lost) {
        const one = judged.get(node);
        if (one) one.verdict = "waits";
      }
      if (lost.length > 0 && !["conflict", "waits"].includes(verdictOf(edge) ?? ""))
        torn.set(edge, judge(source, target, doc, edge));
    }

    const outcome = { merged: 0, skipped: 0, conflicts: [] as ModelConflict[], nodes: 0, edges: 0 };
    const found = [...torn, ...[...judged].filter(([, { verdict }]) => verdict === "conflict")];
    const standing = found.map(([key, { states }]) => {
      const theirs = states.theirs ?? ({ ...states.ours, deleted: true } as GraphState);
      return { from: source, into: target, doc, key, states: { ...states, theirs } };
    });
    for (const open of state.conflicts)
      if (open.from === source && open.into === target && open.doc === doc && open.resolution === undefined)
        if (!standing.some((one) => isSame(one, open))) open.resolution = "moot";
    for (const one of standing) {
      const known = state.conflicts.find((earlier) => isSame(one, earlier));
      if (known?.resolution === undefined && known) continue;
      const conflict = known ?? { ...one, id: "", resolution: undefined };
      conflict.resolution = undefined;
      if (!known) state.conflicts.push(conflict);
      outcome.conflicts.push(conflict);
    }
    for (const [key, { verdict, states }] of judged) {
      if (verdict === "unchanged" || verdict === "equal" || verdict === "waits") outcome.skipped += 1;
      if (verdict === "equal" || verdict === "apply") settle(source, target, doc, key);
      if (verdict !== "apply" || !states.theirs) continue;
      write(target, doc, states.theirs);
      outcome.merged += 1;
      outcome[`${states.theirs.kind}s`] += 1;
    }
    return outcome;
  }

  type Collision = Omit<ModelConflict, "id" | "resolution">;
  const isSame = (one: Collision, other: Collision) =>
    one.from === other.from &&
    one.into === other.into &&
    one.doc === other.doc &&
    one.key === other.key &&
    (["base", "theirs", "ours"] as const).every(
      (side) => meaning(one.states[side]) === meaning(other.states[side]),
    );

  /** Returns the visible conflicts. An open conflict is hidden along with the branch that it came from. */
  const shownConflicts = () =>
    state.conflicts.filter(
      ({ resolution, from }) => resolution !== undefined || state.branches.includes(from),
    );

  function resolve({ id, resolution }: StepInput<"resolve_conflict">) {
    const conflict = shownConflicts().find((known) => known.id === id && state.branches.includes(known.into));
    if (!conflict) throw new Refusal("UNKNOWN_ID");
    if (conflict.resolution === resolution) return { applied: false };
    if (conflict.resolution !== undefined) throw new Refusal("CONFLICT");
    const { from, into, doc, key, states } = conflict;
    const sides = [
      [states.theirs, from],
      [states.ours, into],
    ] as const;
    if (sides.some(([then, side]) => meaning(then) !== meaning(shown(side, doc, key))))
      throw new Refusal("CONFLICT");
    const ends = [...new Set(endsOf(states.theirs))];
    if (resolution === "use_into") {
      settle(from, into, doc, key);
      for (const end of ends)
        if (shown(from, doc, end)?.deleted && live(into, doc, end)) settle(from, into, doc, end);
    } else if (states.theirs.deleted) {
      if (states.theirs.kind === "node")
        for (const { edge } of liveEdges(into, doc).filter(({ edge }) => endsOf(edge).includes(key)))
          write(into, doc, { ...edge, deleted: true });
      write(into, doc, states.theirs);
      settle(from, into, doc, key);
    } else {
      const missing = ends.filter((end) => !live(into, doc, end));
      for (const end of missing) {
        const node = live(from, doc, end);
        if (!node) throw new Refusal("CONFLICT");
        write(into, doc, node);
        settle(from, into, doc, end);
      }
      write(into, doc, states.theirs);
      settle(from, into, doc, key);
    }
    conflict.resolution = resolution;
    return { applied: resolution === "use_from" };
  }

  function doStep(step: MemoryStep) {
    switch (step.do) {
      case "create_branch": {
        const taken = find(step.name);
        if (taken && !step.ifMissing) throw new Refusal("CONFLICT");
        const branch = taken ?? newBranch(step.name, named(step.from), state.ticks);
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
        state.deleted.push(branch);
        return { deleted: true };
      }
      case "restore_branch": {
        const branch = state.deleted.findLast(({ name }) => name === step.name);
        if (!branch) throw new Refusal("UNKNOWN_ID");
        const name = step.as ?? step.name;
        if (find(name) || (branch.base && state.deleted.includes(branch.base))) throw new Refusal("CONFLICT");
        state.deleted = state.deleted.filter((other) => other !== branch);
        branch.name = name;
        state.branches.push(branch);
        return { name };
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
    /** Applies all steps or none. A refused commit changes only a copy, which is discarded. */
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
    shownConflicts,
    liveEdges,
    isLive: (branch: ModelBranch, doc: string, key: string) => live(branch, doc, key) !== undefined,
    meaning,
  };
}

export type MemoryModel = ReturnType<typeof createMemoryModel>;

function newBranch(name: string, base: ModelBranch | undefined, madeAt: number): ModelBranch {
  const copyGraphs = () => new Map([...(base?.graphs ?? [])].map(([doc, graph]) => [doc, new Map(graph)]));
  const logs = new Map([...(base?.logs ?? [])].map(([doc, entries]) => [doc, [...entries]]));
  return { name, base, logs, graphs: copyGraphs(), start: copyGraphs(), madeAt };
}
