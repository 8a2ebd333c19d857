import { cutoffs, type Lineage, sees } from "../../../../domain/memory/lineage.ts";
import type { FactKinds, GraphScope, Head, LineageScope } from "../../../../domain/memory/steps/rows.ts";
import { decodeVersion, versionColumns } from "../../../rows/graph-rows.ts";
import { parseColumn, type Row } from "../../connection/driver.ts";
import type { Connection } from "../../connection/open-database.ts";
import { currentOf } from "../graph/graph-view.ts";

const asTable = (lineage: Lineage): string =>
  JSON.stringify(lineage.map(({ branch, upTo }) => [branch, upTo]));

/** Of each key the version that the lineage shows: found in the index alone, so that keys that are not there cost little. */
function currentSeqs({ sql }: Connection, { lineage, doc }: GraphScope, keys: readonly string[]): number[] {
  const view = cutoffs(lineage);
  const newest = new Map<unknown, number>();
  const rows = sql(
    `SELECT v.key, v.seq, v.bid FROM json_each(?) k
     CROSS JOIN graph_versions v INDEXED BY graph_by_key ON v.doc = ? AND v.key = k.value AND v.visible = 1`,
  ).all(JSON.stringify(keys), doc);
  for (const row of rows) {
    const seq = Number(row["seq"]);
    if (sees(view, Number(row["bid"]), seq) && seq > (newest.get(row["key"]) ?? 0))
      newest.set(row["key"], seq);
  }
  return [...newest.values()];
}

function currentRows(
  connection: Connection,
  columns: string,
  scope: GraphScope,
  keys: readonly string[],
): ReadonlyMap<string, Row> {
  const seqs = currentSeqs(connection, scope, keys);
  if (seqs.length === 0) return new Map();
  const rows = connection
    .sql(`SELECT ${columns} FROM json_each(?) s CROSS JOIN graph_versions v ON v.seq = s.value`)
    .all(JSON.stringify(seqs));
  return new Map(rows.map((row) => [String(row["key"]), row]));
}

export function loadHeads(
  connection: Connection,
  scope: GraphScope,
  keys: readonly string[],
): (Head | undefined)[] {
  const columns =
    "v.key, v.seq, v.bid, v.kind, v.deleted, v.fingerprint, v.replaces, v.type, v.status, v.tags";
  const rows = currentRows(connection, columns, scope, keys);
  return keys.map((key) => {
    const row = rows.get(key);
    return row && decodeHead(row);
  });
}

export function loadCurrent(
  connection: Connection,
  scope: GraphScope,
  keys: readonly string[],
): FactKinds["current"]["found"][] {
  const rows = currentRows(connection, `${versionColumns}, v.replaces`, scope, keys);
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

export function loadEdgesAt(
  { sql }: Connection,
  { lineage, doc }: GraphScope,
  nodes: readonly string[],
): FactKinds["edgesAt"]["found"][] {
  const at = (column: "source" | "target") =>
    `SELECT v.seq FROM json_each(?2) n CROSS JOIN graph_versions v
     ON v.doc = ?3 AND v.${column} = n.value AND v.visible = 1 AND v.kind = 'edge' AND v.deleted = 0`;
  const edges = sql(
    `WITH lineage (bid, up_to) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?1))
     SELECT ${versionColumns} FROM (${at("source")} UNION ${at("target")}) c CROSS JOIN graph_versions v ON v.seq = c.seq
     WHERE v.seq = ${currentOf("seq", "v", "lineage")}`,
  )
    .all(asTable(lineage), JSON.stringify(nodes), doc)
    .map((row) => decodeVersion(row).version);
  return nodes.map((node) =>
    edges.filter((edge) => edge.kind === "edge" && (edge.from === node || edge.to === node)),
  );
}

/** As the branch itself last wrote it, else as its base had it when the branch was made; of the newest segment that has any. */
export function loadTally(
  { sql }: Connection,
  { lineage }: LineageScope,
  doc: number,
): FactKinds["tally"]["found"] {
  const [only, ...others] = lineage;
  const row =
    only && others.length === 0
      ? sql(
          `SELECT 0 AS n, live_nodes, inherited_nodes, live_edges FROM graph_versions
           WHERE doc = ? AND bid = ? AND visible = 1 AND seq <= ? ORDER BY seq DESC LIMIT 1`,
        ).get(doc, only.branch, only.upTo)
      : sql(
          `SELECT l.key AS n, v.live_nodes, v.inherited_nodes, v.live_edges FROM json_each(?1) l
     CROSS JOIN graph_versions v ON v.seq = (SELECT seq FROM graph_versions o WHERE o.doc = ?2 AND o.bid = l.value ->> 0
       AND o.visible = 1 AND o.seq <= l.value ->> 1 ORDER BY o.seq DESC LIMIT 1) LIMIT 1`,
        ).get(asTable(lineage), doc);
  const liveNodes = Number(row?.["live_nodes"] ?? 0);
  return {
    liveNodes,
    inheritedNodes: row?.["n"] === 0 ? Number(row["inherited_nodes"]) : liveNodes,
    liveEdges: Number(row?.["live_edges"] ?? 0),
  };
}

/** The first arrival of each source in a document, as the lineage shows it. */
export function loadSources(
  { sql }: Connection,
  { lineage, doc }: GraphScope,
  sources: readonly string[],
): FactKinds["source"]["found"][] {
  const [only] = sources;
  const [branch] = lineage;
  const rows =
    sources.length === 1 && lineage.length === 1 && only !== undefined && branch
      ? sql(
          `SELECT seq, source_event_id AS source, meta FROM memory_entries INDEXED BY memory_entries_by_source
           WHERE doc = ? AND bid = ? AND source_event_id = ? AND seq <= ? ORDER BY seq LIMIT 1`,
        ).all(doc, branch.branch, only, branch.upTo)
      : sql(
          `SELECT e.seq, e.source_event_id AS source, e.meta FROM json_each(?1) l CROSS JOIN json_each(?2) s
           CROSS JOIN memory_entries e INDEXED BY memory_entries_by_source
             ON e.doc = ?3 AND e.bid = l.value ->> 0 AND e.source_event_id = s.value AND e.seq <= l.value ->> 1
           ORDER BY e.seq DESC`,
        ).all(asTable(lineage), JSON.stringify(sources), doc);
  const bySource = new Map(rows.map((row) => [row["source"], row]));
  return sources.map((source) => {
    const row = bySource.get(source);
    return row && { seq: Number(row["seq"]), meta: row["meta"] === null ? {} : parseColumn(row["meta"]) };
  });
}

/** Of the newest segment of the lineage in which the ref was moved. */
export function loadRef({ sql }: Connection, { lineage }: LineageScope, doc: number): number | undefined {
  const [only] = lineage;
  if (only && lineage.length === 1) {
    const moved = sql(
      "SELECT current FROM memory_ref_moves WHERE bid = ? AND doc = ? AND seq <= ? ORDER BY seq DESC LIMIT 1",
    ).get(only.branch, doc, only.upTo);
    return moved && Number(moved["current"]);
  }
  const row = sql(
    `SELECT m.current FROM json_each(?1) l CROSS JOIN memory_ref_moves m ON m.seq = (SELECT seq FROM memory_ref_moves o
       WHERE o.bid = l.value ->> 0 AND o.doc = ?2 AND o.seq <= l.value ->> 1 ORDER BY o.seq DESC LIMIT 1) LIMIT 1`,
  ).get(asTable(lineage), doc);
  return row && Number(row["current"]);
}
