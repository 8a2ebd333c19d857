import { cutoffs, type Lineage, sees } from "../../../domain/memory/lineage.ts";
import type { FactKinds, GraphScope, Head } from "../../../domain/memory/steps/rows.ts";
import { decodeVersion, versionColumns } from "../../rows/graph-rows.ts";
import { parseColumn, type Row } from "../../rows/row.ts";
import { currentOf, edgesAtNodes, lineageJson, lineageTable } from "../graph/graph-view.ts";
import { all, get, type Query } from "../query.ts";

const visibleOf = (columns: string): string => `SELECT ${columns} FROM TEXTS(?) k
  CROSS JOIN {graph_versions} v INDEXED BY graph_by_key ON v.doc = ? AND v.key = k.value AND v.visible = 1`;
const bySeq = (columns: string): string =>
  `SELECT ${columns} FROM NUMBERS(?) s CROSS JOIN {graph_versions} v ON v.seq = s.value`;

const seqsOfKeys = visibleOf("v.key, v.seq, v.bid");
const headsBySeq = bySeq(
  "v.key, v.seq, v.bid, v.kind, v.deleted, v.fingerprint, v.replaces, v.type, v.status, v.tags",
);
const versionsBySeq = bySeq(`${versionColumns}, v.replaces`);

/**
 * Returns the version of each key that is visible in the lineage. Reads only the index, so absent keys cost
 * little.
 */
function* currentSeqs({ lineage, doc }: GraphScope, keys: readonly string[]): Query<number[]> {
  const view = cutoffs(lineage);
  const newest = new Map<unknown, number>();
  for (const row of yield* all(seqsOfKeys, keys, doc)) {
    const seq = Number(row["seq"]);
    if (sees(view, Number(row["bid"]), seq) && seq > (newest.get(row["key"]) ?? 0))
      newest.set(row["key"], seq);
  }
  return [...newest.values()];
}

function* currentRows(
  text: string,
  scope: GraphScope,
  keys: readonly string[],
): Query<ReadonlyMap<string, Row>> {
  const seqs = yield* currentSeqs(scope, keys);
  if (seqs.length === 0) return new Map();
  return new Map((yield* all(text, seqs)).map((row) => [String(row["key"]), row]));
}

export function* loadHeads(scope: GraphScope, keys: readonly string[]): Query<(Head | undefined)[]> {
  const rows = yield* currentRows(headsBySeq, scope, keys);
  return keys.map((key) => {
    const row = rows.get(key);
    return row && decodeHead(row);
  });
}

export function* loadCurrent(
  scope: GraphScope,
  keys: readonly string[],
): Query<FactKinds["current"]["found"][]> {
  const rows = yield* currentRows(versionsBySeq, scope, keys);
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

const edgesOfNodes = `WITH ${lineageTable("lineage", "?1")} SELECT ${versionColumns}
  FROM (${edgesAtNodes("?2", "?3")}) c CROSS JOIN {graph_versions} v ON v.seq = c.seq
  WHERE v.seq = ${currentOf("seq", "v", "lineage")}`;

export function* loadEdgesAt(
  { lineage, doc }: GraphScope,
  nodes: readonly string[],
): Query<FactKinds["edgesAt"]["found"][]> {
  const rows = yield* all(edgesOfNodes, lineageJson(lineage), nodes, doc);
  const edges = rows.map((row) => decodeVersion(row).version);
  return nodes.map((node) =>
    edges.filter((edge) => edge.kind === "edge" && (edge.from === node || edge.to === node)),
  );
}

const tallyOfBranch = `SELECT 0 AS nth, v.live_nodes, v.inherited_nodes, v.live_edges FROM {graph_versions} v
  WHERE v.doc = ? AND v.bid = ? AND v.visible = 1 AND v.seq <= ? ORDER BY v.seq DESC LIMIT 1`;
const talliesAlong = (doc: string, column: string, from: string): string =>
  `WITH s AS MATERIALIZED (SELECT ${column}l.nth, (SELECT o.seq FROM {graph_versions} o
      WHERE o.doc = ${doc} AND o.bid = l.bid AND o.visible = 1 AND o.seq <= l.up_to ORDER BY o.seq DESC LIMIT 1) AS seq
    FROM ${from}LIST(?1, bid number, up_to number) l)
  SELECT s.*, v.live_nodes, v.inherited_nodes, v.live_edges
  FROM s CROSS JOIN {graph_versions} v ON v.seq = s.seq ORDER BY s.nth`;
const tallyOfLineage = `${talliesAlong("?2", "", "")} LIMIT 1`;
const talliesOfLineage = talliesAlong("d.value", "d.value AS doc, ", "NUMBERS(?2) d CROSS JOIN ");

/**
 * The counts that the branch itself last wrote. If the branch wrote no counts, those of its base when the
 * branch was created. The newest version up to a branch's end is always visible and contains the counts at
 * that time.
 */
export function* loadTally(lineage: Lineage, doc: number): Query<FactKinds["tally"]["found"]> {
  const [only, ...others] = lineage;
  const row =
    only && others.length === 0
      ? yield* get(tallyOfBranch, doc, only.branch, only.upTo)
      : yield* get(tallyOfLineage, lineageJson(lineage), doc);
  return decodeTally(row);
}

/** Per document. */
export function* loadTallies(
  lineage: Lineage,
  docs: readonly number[],
): Query<FactKinds["tally"]["found"][]> {
  const [only] = docs;
  if (docs.length === 1 && only !== undefined) return [yield* loadTally(lineage, only)];
  const rows = yield* all(talliesOfLineage, lineageJson(lineage), docs);
  return docs.map((doc) => decodeTally(rows.find((row) => row["doc"] === doc)));
}

function decodeTally(row: Row | undefined): FactKinds["tally"]["found"] {
  const liveNodes = Number(row?.["live_nodes"] ?? 0);
  return {
    liveNodes,
    inheritedNodes: row?.["nth"] === 0 ? Number(row["inherited_nodes"]) : liveNodes,
    liveEdges: Number(row?.["live_edges"] ?? 0),
  };
}

const arrivalOfOne = `SELECT e.seq, e.source_event_id AS source, e.meta
  FROM {memory_entries} e INDEXED BY memory_entries_by_source
  WHERE e.doc = ? AND e.bid = ? AND e.source_event_id = ? AND e.seq <= ? ORDER BY e.seq LIMIT 1`;
const arrivals = `SELECT e.seq, e.source_event_id AS source, e.meta FROM LIST(?1, bid number, up_to number) l
  CROSS JOIN TEXTS(?2) s CROSS JOIN {memory_entries} e INDEXED BY memory_entries_by_source
  ON e.doc = ?3 AND e.bid = l.bid AND e.source_event_id = s.value AND e.seq <= l.up_to ORDER BY e.seq DESC`;

/** For each source, returns its first entry in a document that is visible in the lineage. */
export function* loadSources(
  { lineage, doc }: Pick<GraphScope, "lineage" | "doc">,
  sources: readonly string[],
): Query<FactKinds["source"]["found"][]> {
  const [[only], [branch]] = [sources, lineage];
  const rows =
    sources.length === 1 && lineage.length === 1 && only !== undefined && branch
      ? yield* all(arrivalOfOne, doc, branch.branch, only, branch.upTo)
      : yield* all(arrivals, lineageJson(lineage), sources, doc);
  const bySource = new Map(rows.map((row) => [row["source"], row]));
  return sources.map((source) => {
    const row = bySource.get(source);
    return row && { seq: Number(row["seq"]), meta: row["meta"] === null ? {} : parseColumn(row["meta"]) };
  });
}

const refOfBranch = `SELECT m.current FROM {memory_ref_moves} m WHERE m.bid = ? AND m.doc = ? AND m.seq <= ?
  ORDER BY m.seq DESC LIMIT 1`;
const refsAlong = (doc: string, column: string, from: string): string =>
  `SELECT ${column}(SELECT o.current FROM {memory_ref_moves} o
    WHERE o.bid = l.bid AND o.doc = ${doc} AND o.seq <= l.up_to ORDER BY o.seq DESC LIMIT 1) AS current
  FROM ${from}LIST(?1, bid number, up_to number) l ORDER BY l.nth`;
const refOfLineage = refsAlong("?2", "", "");
const refsOfLineage = refsAlong("d.value", "d.value AS doc, ", "NUMBERS(?2) d CROSS JOIN ");

/** The ref from the newest segment in the lineage that moved it. */
export function* loadRef(lineage: Lineage, doc: number): Query<number | undefined> {
  const [only] = lineage;
  const rows =
    only && lineage.length === 1
      ? yield* all(refOfBranch, only.branch, doc, only.upTo)
      : yield* all(refOfLineage, lineageJson(lineage), doc);
  return firstMoved(rows);
}

/** Per document. */
export function* loadRefs(lineage: Lineage, docs: readonly number[]): Query<(number | undefined)[]> {
  const [only] = docs;
  if (docs.length === 1 && only !== undefined) return [yield* loadRef(lineage, only)];
  const rows = yield* all(refsOfLineage, lineageJson(lineage), docs);
  return docs.map((doc) => firstMoved(rows.filter((row) => row["doc"] === doc)));
}

function firstMoved(rows: readonly Row[]): number | undefined {
  const moved = rows.find((row) => row["current"] !== null);
  return moved && Number(moved["current"]);
}
