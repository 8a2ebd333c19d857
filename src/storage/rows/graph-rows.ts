import type { GraphState, GraphVersion } from "../../domain/memory/graph.ts";
import { parseColumn, type Row } from "./row.ts";

/** A version and where it was written. */
export type Stored = { version: GraphVersion; bid: number; key: string; fingerprint: string };

/** The columns that are decoded from a row `v`. The table has half as many columns again, and each one costs time. */
export const versionColumns = [
  ...["seq", "ts_ms", "bid", "key", "fingerprint", "kind", "deleted", "type", "title", "text", "status"],
  ...["tags", "meta", "source", "target"],
]
  .map((column) => `v.${column}`)
  .join(", ");

export function decodeVersion(row: Row): Stored {
  const last = { last_seq: Number(row["seq"]), last_ts_ms: Number(row["ts_ms"]) };
  return {
    version: { ...decodeState(row), ...last },
    bid: Number(row["bid"]),
    key: String(row["key"]),
    fingerprint: String(row["fingerprint"]),
  };
}

function decodeState(row: Row): GraphState {
  const deleted = row["deleted"] === 1;
  const meta = row["meta"] === null ? {} : { meta: parseColumn<Record<string, unknown>>(row["meta"]) };
  const type = String(row["type"]);
  if (row["kind"] === "edge")
    return {
      kind: "edge",
      from: String(row["source"]),
      rel: type,
      to: String(row["target"]),
      ...meta,
      deleted,
    };
  return {
    kind: "node",
    id: String(row["key"]),
    type,
    ...(row["title"] !== null && { title: String(row["title"]) }),
    ...(row["text"] !== null && { text: String(row["text"]) }),
    ...(row["status"] !== null && { status: String(row["status"]) }),
    ...(row["tags"] !== null && { tags: parseColumn<string[]>(row["tags"]) }),
    ...meta,
    deleted,
  };
}
