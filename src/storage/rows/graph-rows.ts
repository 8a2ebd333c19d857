import type { GraphState, GraphVersion } from "../../domain/memory/graph.ts";
import { parseColumn, type Row } from "./row.ts";

/** A version and where it was written. */
export type Stored = { version: GraphVersion; bid: number; key: string; fingerprint: string };

/** The columns that are decoded from a row `v`. The table has 50% more columns, and each one costs time. */
export const versionColumns = [
  ...["seq", "ts_ms", "bid", "key", "fingerprint", "kind", "deleted", "type", "title", "text", "status"],
  ...["tags", "meta", "source", "target"],
]
  .map((column) => `v.${column}`)
  .join(", ");

export function decodeVersion(row: Row): Stored {
  const version = decodeState(row) as GraphVersion;
  version.last_seq = Number(row["seq"]);
  version.last_ts_ms = Number(row["ts_ms"]);
  return {
    version,
    bid: Number(row["bid"]),
    key: String(row["key"]),
    fingerprint: String(row["fingerprint"]),
  };
}

function decodeState(row: Row): GraphState {
  const state = row["kind"] === "edge" ? decodeEdge(row) : decodeNode(row);
  if (row["meta"] !== null) state.meta = parseColumn<Record<string, unknown>>(row["meta"]);
  state.deleted = row["deleted"] === 1;
  return state;
}

function decodeEdge(row: Row): GraphState {
  const [from, rel, to] = [String(row["source"]), String(row["type"]), String(row["target"])];
  return { kind: "edge", from, rel, to } as GraphState;
}

type NodeState = Extract<GraphState, { kind: "node" }>;

function decodeNode(row: Row): NodeState {
  const node = { kind: "node", id: String(row["key"]), type: String(row["type"]) } as NodeState;
  if (row["title"] !== null) node.title = String(row["title"]);
  if (row["text"] !== null) node.text = String(row["text"]);
  if (row["status"] !== null) node.status = String(row["status"]);
  if (row["tags"] !== null) node.tags = parseColumn<string[]>(row["tags"]);
  return node;
}
