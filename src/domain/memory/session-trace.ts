import type { ChainedThought } from "../ledger/thought.ts";
import { nodeId } from "../ledger/thought.ts";
import type { Entry } from "./entry.ts";
import { edgeKey, type GraphVersion } from "./graph.ts";
import { defaultDocs } from "./limits.ts";
import { stepFormats } from "./sequential.ts";

/**
 * Converts a thought to an entry in the trace of the `session/<id>` branch, because the ledger and the memory
 * share one store.
 */
export function traceEntry({ sessionId, seq, data }: ChainedThought): Entry {
  const { thought, timestamp, agentId, cipher: _cipher, critique: _critique, ...fields } = data;
  const { thoughtNumber, totalThoughts, nextThoughtNeeded, isRevision, revisesThought, revises } = fields;
  const { branchId, branchFromThought, branchFromBranch } = fields;
  const meta = {
    thoughtNumber,
    totalThoughts,
    nextThoughtNeeded,
    isRevision,
    revisesThought: revisesThought ?? revises?.thoughtNumber,
    branchId,
    branchFromThought,
    branchFromBranch,
  };
  return {
    seq,
    ts: timestamp,
    ts_ms: Date.parse(timestamp),
    branch: `session/${sessionId}`,
    doc: defaultDocs.trace,
    kind: "note",
    format: stepFormats.sequential,
    meta: Object.fromEntries(Object.entries(meta).filter(([, value]) => value !== undefined)),
    content: thought,
    ...(agentId !== undefined && { agent_id: agentId }),
  };
}

export const thoughtType = "thought";

/** Converts a thought to a node in the graph of the `session/<id>` branch. `open` accepts the node's ID. */
export function thoughtNode(thought: ChainedThought): GraphVersion & { kind: "node" } {
  const { seq, ts_ms, content, meta } = traceEntry(thought);
  return {
    kind: "node",
    id: nodeId(thought.sessionId, thought.data),
    type: thoughtType,
    text: content,
    meta,
    deleted: false,
    last_seq: seq,
    last_ts_ms: ts_ms,
  };
}

export type ThoughtEdge = { from: string; rel: "next" | "branch" | "revision"; to: string };

/** Converts a link between two thoughts to an edge, which is added with the later thought. */
export const thoughtEdge = (edge: ThoughtEdge, later: ChainedThought): GraphVersion => ({
  kind: "edge",
  ...edge,
  deleted: false,
  last_seq: later.seq,
  last_ts_ms: Date.parse(later.data.timestamp),
});

export const sameEdgeOnce = (edges: readonly ThoughtEdge[]): ThoughtEdge[] => [
  ...new Map(edges.map((edge) => [edgeKey(edge), edge])).values(),
];

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** True if each search word begins a word of the text, or occurs anywhere in text without spaces. */
export function hasWords(text: string, asked: string): boolean {
  const wanted = words(asked);
  const held = words(text);
  const isIn = (word: string) =>
    held.some((one) => one.startsWith(word) || (/[^\p{ASCII}]/u.test(word) && one.includes(word)));
  return wanted.length > 0 && wanted.every(isIn);
}
