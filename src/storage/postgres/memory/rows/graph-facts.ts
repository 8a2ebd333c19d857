import { cutoffs, type Lineage, sees } from "../../../../domain/memory/lineage.ts";
import type { FactKinds, GraphScope, Head } from "../../../../domain/memory/steps/rows.ts";
import { decodeVersion, versionColumns } from "../../../rows/graph-rows.ts";
import { parseColumn, type Row } from "../../../rows/row.ts";
import type { Connection } from "../../connection/access.ts";
import { currentOf, lineageJson, lineageTable } from "../graph/graph-view.ts";

/** Of each key the version that the lineage shows. */
async function currentRows(
  { sql }: Connection,
  columns: string,
  { lineage, doc }: GraphScope,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  const view = cutoffs(lineage);
  const newest = new Map<string, Row>();
  const rows = await sql(
    `SELECT ${columns} FROM {graph_versions} v WHERE v.doc = ? AND v.key = ANY (?::text[]) AND v.visible = 1`,
  ).all(doc, [...new Set(keys)]);
  for (const row of rows) {
    const [key, seq] = [String(row["key"]), Number(row["seq"])];
    if (sees(view, Number(row["bid"]), seq) && seq > Number(newest.get(key)?.["seq"] ?? 0))
      newest.set(key, row);
  }
  return newest;
}

export async function loadHeads(
  connection: Connection,
  scope: GraphScope,
  keys: readonly string[],
): Promise<(Head | undefined)[]> {
  const columns =
    "v.key, v.seq, v.bid, v.kind, v.deleted, v.fingerprint, v.replaces, v.type, v.status, v.tags";
  const rows = await currentRows(connection, columns, scope, keys);
  return keys.map((key) => {
    const row = rows.get(key);
    return row && decodeHead(row);
  });
}

export async function loadCurrent(
  connection: Connection,
  scope: GraphScope,
  keys: readonly string[],
): Promise<FactKinds["current"]["found"][]> {
  const rows = await currentRows(connection, `${versionColumns}, v.replaces`, scope, keys);
  return keys.map((key) => {
    const row = rows.get(key);
    return row && { head: decodeHead(row), version: decodeVersion(row).version };
  });
}

const decodeHead = (row: Row): Head => ({
  seq: Number(row["seq"]),
  bid: Number(row["bid"]),
  kind: row["kind"] === "edge" ? "edge" : "node",
  deleted: row["deleted"] === 1,
  fingerprint: String(row["fingerprint"]),
  replaces: typeof row["replaces"] === "number" ? row["replaces"] : undefined,
  type: String(row["type"]),
  status: row["status"] === null ? undefined : String(row["status"]),
  tags: row["tags"] === null ? undefined : parseColumn<string[]>(row["tags"]),
});

/** SQL: live edges at any of the nodes of a list, in a document. */
export const edgesAtNodes = (nodes: string, doc: string): string =>
  `SELECT v.seq FROM {graph_versions} v WHERE v.doc = ${doc} AND v.source = ANY (${nodes}::text[])
     AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0
   UNION SELECT v.seq FROM {graph_versions} v WHERE v.doc = ${doc} AND v.target = ANY (${nodes}::text[])
     AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0`;

export async function loadEdgesAt(
  { sql }: Connection,
  { lineage, doc }: GraphScope,
  nodes: readonly string[],
): Promise<FactKinds["edgesAt"]["found"][]> {
  const rows = await sql(`WITH ${lineageTable("lineage", "?1")}
    SELECT ${versionColumns} FROM (${edgesAtNodes("?2", "?3")}) c JOIN {graph_versions} v ON v.seq = c.seq
    WHERE v.seq = ${currentOf("seq", "v", "lineage")}`).all(lineageJson(lineage), nodes, doc);
  const edges = rows.map((row) => decodeVersion(row).version);
  return nodes.map((node) =>
    edges.filter((edge) => edge.kind === "edge" && (edge.from === node || edge.to === node)),
  );
}

const segments = `jsonb_array_elements(?1::jsonb) WITH ORDINALITY l (value, nth)`;

/** As the branch itself last wrote it, else as its base had it when the branch was made; of the newest segment that has any. */
export async function loadTally(
  { sql }: Connection,
  lineage: Lineage,
  doc: number,
): Promise<FactKinds["tally"]["found"]> {
  const row = await sql(`SELECT l.nth, v.live_nodes, v.inherited_nodes, v.live_edges FROM ${segments}
    CROSS JOIN LATERAL (SELECT o.live_nodes, o.inherited_nodes, o.live_edges FROM {graph_versions} o WHERE o.doc = ?2
      AND o.bid = (l.value ->> 0)::bigint AND o.visible = 1 AND o.seq <= (l.value ->> 1)::bigint
      ORDER BY o.seq DESC LIMIT 1) v ORDER BY l.nth LIMIT 1`).get(lineageJson(lineage), doc);
  const liveNodes = Number(row?.["live_nodes"] ?? 0);
  return {
    liveNodes,
    inheritedNodes: row?.["nth"] === 1 ? Number(row["inherited_nodes"]) : liveNodes,
    liveEdges: Number(row?.["live_edges"] ?? 0),
  };
}

/** The first arrival of each source in a document, as the lineage shows it. */
export async function loadSources(
  { sql }: Connection,
  { lineage, doc }: Pick<GraphScope, "lineage" | "doc">,
  sources: readonly string[],
): Promise<FactKinds["source"]["found"][]> {
  const rows = await sql(`SELECT e.seq, e.source_event_id AS source, e.meta FROM ${segments}
    JOIN {memory_entries} e ON e.doc = ?3 AND e.bid = (l.value ->> 0)::bigint AND e.source_event_id = ANY (?2::text[])
      AND e.seq <= (l.value ->> 1)::bigint ORDER BY e.seq DESC`).all(
    ...[lineageJson(lineage), [...new Set(sources)], doc],
  );
  const bySource = new Map(rows.map((row) => [row["source"], row]));
  return sources.map((source) => {
    const row = bySource.get(source);
    return row && { seq: Number(row["seq"]), meta: row["meta"] === null ? {} : parseColumn(row["meta"]) };
  });
}

/** Of the newest segment of the lineage in which the ref was moved. */
export async function loadRef(
  { sql }: Connection,
  lineage: Lineage,
  doc: number,
): Promise<number | undefined> {
  const row = await sql(`SELECT m.current FROM ${segments} CROSS JOIN LATERAL (
      SELECT o.current FROM {memory_ref_moves} o WHERE o.bid = (l.value ->> 0)::bigint AND o.doc = ?2
      AND o.seq <= (l.value ->> 1)::bigint ORDER BY o.seq DESC LIMIT 1) m ORDER BY l.nth LIMIT 1`).get(
    lineageJson(lineage),
    doc,
  );
  return row && Number(row["current"]);
}
