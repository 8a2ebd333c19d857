import type { Tally } from "../../../../domain/memory/graph/plan-versions.ts";
import type { GraphState, GraphVersion } from "../../../../domain/memory/graph.ts";
import type { Segment } from "../../../../domain/memory/lineage.ts";
import { parseColumn, type Row } from "../../connection/driver.ts";
import type { GraphView } from "./graph-view.ts";

/** A version and where it was written. */
export type Stored = { version: GraphVersion; bid: number; key: string; fingerprint: string };

/** What is decoded of a row `v`; a row has half as many columns again, and each costs something. */
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

const empty: Tally = { liveNodes: 0, inheritedNodes: 0, liveEdges: 0 };

/** As the branch itself last wrote it, within the segment; the newest version up to there is always visible. */
function tallyIn({ place, doc }: GraphView, { branch, upTo }: Segment): Tally | undefined {
  const row = place.connection
    .sql(
      `SELECT live_nodes, inherited_nodes, live_edges FROM graph_versions
       WHERE doc = ? AND bid = ? AND visible = 1 AND seq <= ? ORDER BY seq DESC LIMIT 1`,
    )
    .get(doc ?? 0, branch, upTo);
  return (
    row && {
      liveNodes: Number(row["live_nodes"]),
      inheritedNodes: Number(row["inherited_nodes"]),
      liveEdges: Number(row["live_edges"]),
    }
  );
}

export function tallyOf(view: GraphView): Tally {
  for (const [n, segment] of view.lineage.entries()) {
    const tally = tallyIn(view, segment);
    if (tally) return n === 0 ? tally : { ...tally, inheritedNodes: tally.liveNodes };
  }
  return empty;
}

/** Segments that can hold a live node: beneath a branch that has overridden all it inherited there is none. */
export function* segmentsWithNodes(view: GraphView): Generator<Segment> {
  for (const segment of view.lineage) {
    yield segment;
    if (tallyIn(view, segment)?.inheritedNodes === 0) return;
  }
}
