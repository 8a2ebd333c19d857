import { endsOf, type GraphVersion } from "../../../domain/memory/graph.ts";
import { sees } from "../../../domain/memory/lineage.ts";
import { hasWords } from "../../../domain/memory/session-trace.ts";
import type { NodeWithWords } from "../../../domain/search/node-texts.ts";
import type {
  EdgePage,
  EdgesBeside,
  GraphMoment,
  NodePage,
  NodeQuery,
  VersionsQuery,
  WordOptions,
  WrittenVersion,
} from "../../../ports/memory/graph.ts";
import { decodeVersion, versionColumns } from "../../rows/graph-rows.ts";
import type { Row } from "../../rows/row.ts";
import type { Place } from "../places.ts";
import { all, type Query } from "../query.ts";
import type { NodeWords } from "./graph-query.ts";
import { matchesQuery } from "./graph-query.ts";
import { type GraphView, isPublished, readVersions } from "./graph-view.ts";

/** SQL: reads the index of visible and that of superseded versions. Some versions are in both indexes. */
const either = (table: string, condition: string): string =>
  ["visible = 1", "superseded IS NOT NULL"]
    .map((which) => `SELECT v.seq FROM ${table} v.${which} AND ${condition}`)
    .join(" UNION ");

/** A version of a key, superseded or not, without its contents. */
type PastRow = { key: string; seq: number; bid: number; tsMs: number };

const decodePastRow = (row: Row): PastRow => ({
  key: String(row["key"]),
  seq: Number(row["seq"]),
  bid: Number(row["bid"]),
  tsMs: Number(row["ts_ms"]),
});

const everyVersion = `SELECT v.key, v.seq, v.bid, v.ts_ms FROM (${either("{graph_versions} v WHERE", "v.doc = ?1")}) s
  CROSS JOIN {graph_versions} v ON v.seq = s.seq`;

const isBy = ({ seq, tsMs }: PastRow, at: GraphMoment): boolean =>
  at.seq === undefined ? tsMs <= at.ms : seq <= at.seq;

/** Returns, for each key, the version that was visible on the branch at that moment, newest first. */
function shownAt(rows: readonly PastRow[], view: ReadonlyMap<number, number>, at: GraphMoment): PastRow[] {
  const shown = new Map<string, PastRow>();
  for (const row of rows) {
    if (!isBy(row, at) || !sees(view, row.bid, row.seq)) continue;
    const known = shown.get(row.key);
    if (!known || known.seq < row.seq) shown.set(row.key, row);
  }
  return [...shown.values()].sort((one, other) => other.seq - one.seq);
}

const readAtOnce = 200;

/**
 * Returns the graph as it was on a branch at one moment. The cost depends on everything ever written to the
 * document.
 */
export function* queryGraphAt(
  { doc, cutoffs }: GraphView,
  query: NodeQuery & { asOf: GraphMoment },
  beside: EdgesBeside,
): Query<NodePage & { edges: EdgePage }> {
  const rows = yield* all(everyVersion, doc ?? 0);
  const shown = shownAt(rows.map(decodePastRow), cutoffs, query.asOf);
  const ids = query.ids && new Set(query.ids);
  const wanted = shown.filter(
    ({ key, seq }) =>
      endsOf(key) === undefined && seq < (query.before ?? Number.POSITIVE_INFINITY) && (!ids || ids.has(key)),
  );
  const fits = (version: GraphVersion) =>
    matchesQuery(version, query) &&
    (query.text === undefined ||
      (version.kind === "node" && hasWords(`${version.title ?? ""} ${version.text ?? ""}`, query.text)));
  const nodes = yield* readSome(wanted, query.limit + 1, fits);
  const page = nodes.slice(0, query.limit);
  return {
    nodes: page,
    hasMore: nodes.length > query.limit,
    edges: yield* edgesAt(shown, page, beside),
  };
}

function* readSome(
  rows: readonly PastRow[],
  limit: number,
  fits: (version: GraphVersion) => boolean,
): Query<GraphVersion[]> {
  const found: GraphVersion[] = [];
  for (let from = 0; from < rows.length && found.length < limit; from += readAtOnce) {
    const versions = yield* readVersions(rows.slice(from, from + readAtOnce).map(({ seq }) => seq));
    for (const { version } of versions.values()) if (fits(version)) found.push(version);
  }
  return found.slice(0, limit);
}

function* edgesAt(
  shown: readonly PastRow[],
  nodes: readonly GraphVersion[],
  { touching, before = Number.POSITIVE_INFINITY, limit }: EdgesBeside,
): Query<EdgePage> {
  if (limit === 0) return { edges: [], total: 0, hasMore: false };
  const asked = new Set(touching ?? nodes.flatMap((node) => (node.kind === "node" ? [node.id] : [])));
  const isWanted = (ends: [string, string]) =>
    touching ? ends.some((end) => asked.has(end)) : ends.every((end) => asked.has(end));
  const rows = shown.filter(({ key }) => {
    const ends = endsOf(key);
    return ends !== undefined && isWanted(ends);
  });
  const live = yield* readSome(rows, rows.length, ({ deleted }) => !deleted);
  const rest = live.filter(({ last_seq }) => last_seq < before);
  return { edges: rest.slice(0, limit), total: live.length, hasMore: rest.length > limit };
}

const versionsOf = (inDoc: string): string => {
  const written = either(
    "{memory_docs} d CROSS JOIN {graph_versions} v ON v.doc = d.doc WHERE",
    `v.key = ?2 AND d.wid = ?1 ${inDoc}`,
  );
  return `SELECT ${versionColumns}, d.name AS doc_name, b.name AS branch_name,
      (SELECT CASE WHEN a.last_seq >= v.seq THEN a.agent END FROM {graph_authors} a WHERE a.wid = ?1
        AND a.first_seq <= v.seq ORDER BY a.first_seq DESC LIMIT 1) AS agent
    FROM (${written}) s CROSS JOIN {graph_versions} v ON v.seq = s.seq JOIN {memory_docs} d ON d.doc = v.doc
    JOIN {memory_branches} b ON b.bid = v.bid AND b.deleted_at_ms IS NULL
    WHERE v.kind = 'node' AND v.seq < ?3 AND ${isPublished("v")} ORDER BY v.seq DESC LIMIT ?4`;
};
const versionsAnywhere = versionsOf("");
const versionsInDoc = versionsOf("AND d.name = ?5");

export function* listVersions(
  { wid }: Place,
  { id, doc, before = Number.MAX_SAFE_INTEGER, limit }: VersionsQuery,
): Query<{ versions: WrittenVersion[]; hasMore: boolean }> {
  const rows =
    doc === undefined
      ? yield* all(versionsAnywhere, wid, id, before, limit + 1)
      : yield* all(versionsInDoc, wid, id, before, limit + 1, doc);
  const versions = rows.slice(0, limit).map((row) => ({
    version: decodeVersion(row).version,
    place: { branch: String(row["branch_name"]), doc: String(row["doc_name"]) },
    ...(typeof row["agent"] === "string" && { agent: row["agent"] }),
  }));
  return { versions, hasMore: rows.length > limit };
}

/** The columns that `findWords` needs from a version `v` in a document `d` on a branch `b`. */
export const withPlace = `${versionColumns}, v.superseded, d.name AS doc_name, b.name AS branch_name,
  EXISTS (SELECT 1 FROM {graph_conflicts} c WHERE c.wid = d.wid AND c.doc = v.doc AND c.key = v.key
    AND c.status = 'open') AS conflict`;

const earlierNodes = `SELECT ${withPlace} FROM {memory_docs} d CROSS JOIN {graph_versions} v
  ON v.doc = d.doc AND v.superseded IS NOT NULL AND v.kind = 'node' AND v.deleted = 0
  JOIN {memory_branches} b ON b.bid = v.bid AND b.deleted_at_ms IS NULL WHERE d.wid = ? ORDER BY v.seq DESC LIMIT ?`;

/** The maximum number of superseded versions to read. */
const maxEarlier = 2_000;

/** Finds nodes that contain one of the stems, and the newest superseded versions if `earlier` is set. */
export function* findWords(
  place: Place,
  words: NodeWords,
  stems: readonly string[],
  { limit, earlier }: WordOptions,
): Query<NodeWithWords[]> {
  const found = yield* words.heads(place, stems, limit);
  const past = earlier ? yield* all(earlierNodes, place.wid, maxEarlier) : [];
  return [...new Map([...found, ...past].map((row) => [row["seq"], decodeFound(row)])).values()];
}

function decodeFound(row: Row): NodeWithWords {
  const { version } = decodeVersion(row);
  if (version.kind !== "node") throw new Error(`${version.last_seq} is not a node`);
  return {
    node: version,
    place: { branch: String(row["branch_name"]), doc: String(row["doc_name"]) },
    conflict: Number(row["conflict"]) === 1,
    superseded: row["superseded"] !== null,
  };
}
