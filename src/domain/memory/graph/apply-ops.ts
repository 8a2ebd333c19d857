import { memoryFailure } from "../failures.ts";
import { edgeKey, type GraphOp, type GraphState, keyOf } from "../graph.ts";

export type GraphCounts = {
  nodes_upserted: number;
  nodes_deleted: number;
  edges_upserted: number;
  edges_deleted: number;
};

export type OpsFacts = {
  workspace: string;
  branch: string;
  doc: string;
  /** Of the keys in the operations, those that are live before the batch. */
  live: ReadonlySet<string>;
  /** The states of everything that the operations delete, including the live edges at deleted nodes. */
  states: ReadonlyMap<string, GraphState>;
};

export type OpsDecision = { writes: GraphState[]; counts: GraphCounts };

/** Returns the keys that the batch deletes. Their states must be loaded. */
export const deletedKeys = (ops: readonly GraphOp[]): string[] =>
  ops.flatMap((op) => (op.op === "node_delete" ? [op.id] : op.op === "edge_delete" ? [edgeKey(op)] : []));

export const namedKeys = (ops: readonly GraphOp[]): string[] => [
  ...new Set(ops.flatMap((op) => ("id" in op ? [op.id] : [edgeKey(op), op.from, op.to]))),
];

/** Applies all operations in order, each to the result of those before it. If one is invalid, none is applied. */
export function applyOps(facts: OpsFacts, ops: readonly GraphOp[]): OpsDecision {
  const { workspace, branch, doc } = facts;
  const writes: GraphState[] = [];
  const counts = { nodes_upserted: 0, nodes_deleted: 0, edges_upserted: 0, edges_deleted: 0 };
  const changed = new Map<string, GraphState>();
  const isLive = (key: string) => {
    const state = changed.get(key);
    return state ? !state.deleted : facts.live.has(key);
  };
  const stateOf = (key: string) => changed.get(key) ?? facts.states.get(key);
  const write = (state: GraphState, count: keyof GraphCounts) => {
    changed.set(keyOf(state), state);
    writes.push(state);
    counts[count] += 1;
  };
  const remove = (key: string) => {
    const state = stateOf(key);
    if (!state) throw new Error(`The state of ${key} was not loaded.`);
    write({ ...state, deleted: true }, state.kind === "node" ? "nodes_deleted" : "edges_deleted");
  };
  const edgesAt = indexEdges(facts.states.values());

  for (const [index, op] of ops.entries()) {
    const absent = (id: string, because: string) =>
      memoryFailure("unknown_node", { workspace, branch, doc, id, because, op: index });
    switch (op.op) {
      case "node_upsert": {
        const { op: _op, ...node } = op;
        write({ kind: "node", ...node, deleted: false }, "nodes_upserted");
        break;
      }
      case "node_delete": {
        if (!isLive(op.id)) throw absent(op.id, "nothing can be deleted");
        for (const edge of [...(edgesAt.get(op.id) ?? [])].filter(isLive).sort()) remove(edge);
        remove(op.id);
        break;
      }
      case "edge_upsert": {
        const lost = [op.from, op.to].find((end) => !isLive(end));
        if (lost !== undefined) throw absent(lost, "an edge needs both its ends");
        const { op: _op, ...edge } = op;
        write({ kind: "edge", ...edge, deleted: false }, "edges_upserted");
        addEdge(edgesAt, op, edgeKey(op));
        break;
      }
      case "edge_delete": {
        const key = edgeKey(op);
        if (!isLive(key)) throw absent(`${op.from} ${op.rel} ${op.to}`, "nothing can be deleted");
        remove(key);
        break;
      }
    }
  }
  return { writes, counts };
}

type EdgesAt = Map<string, Set<string>>;

function indexEdges(states: Iterable<GraphState>): EdgesAt {
  const edgesAt: EdgesAt = new Map();
  for (const state of states) if (state.kind === "edge") addEdge(edgesAt, state, keyOf(state));
  return edgesAt;
}

function addEdge(edgesAt: EdgesAt, { from, to }: { from: string; to: string }, key: string): void {
  for (const end of [from, to]) {
    const edges = edgesAt.get(end);
    if (edges) edges.add(key);
    else edgesAt.set(end, new Set([key]));
  }
}
