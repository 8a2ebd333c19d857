import type {
  NodeWithWords,
  VersionsQuery,
  WordOptions,
  WrittenVersion,
} from "../../../../ports/memory/graph.ts";
import { decodeVersion, versionColumns } from "../../../rows/graph-rows.ts";
import { decodeFound, decodePastRow, maxEarlier } from "../../../rows/past-graph.ts";
import { toQuery } from "../../search/vectors.ts";
import type { Place } from "../places.ts";
import { type GraphView, isHead, isPublished } from "./graph-view.ts";

/** Visible versions and superseded ones have an index each. */
const anyVersion = "(v.visible = 1 OR v.superseded IS NOT NULL)";

export async function pastRows({ place, doc, cutoffs }: GraphView) {
  const rows = await place.connection
    .sql(`SELECT v.key, v.seq, v.bid, v.ts_ms FROM {graph_versions} v WHERE v.doc = ? AND ${anyVersion}`)
    .all(doc ?? 0);
  return { rows: rows.map(decodePastRow), view: cutoffs };
}

export async function listVersions(
  { connection, wid }: Place,
  { id, doc, before = Number.MAX_SAFE_INTEGER, limit }: VersionsQuery,
): Promise<{ versions: WrittenVersion[]; hasMore: boolean }> {
  const rows = await connection
    .sql(
      `SELECT ${versionColumns}, d.name AS doc_name, b.name AS branch_name,
         (SELECT CASE WHEN a.last_seq >= v.seq THEN a.agent END FROM {graph_authors} a
          WHERE a.wid = ?1 AND a.first_seq <= v.seq ORDER BY a.first_seq DESC LIMIT 1) AS agent
       FROM {memory_docs} d JOIN {graph_versions} v ON v.doc = d.doc AND v.key = ?2 AND ${anyVersion}
       JOIN {memory_branches} b ON b.bid = v.bid AND b.deleted_at_ms IS NULL
       WHERE d.wid = ?1 AND d.name = coalesce(?3::text, d.name) AND v.kind = 'node' AND v.seq < ?4 AND ${isPublished("v")}
       ORDER BY v.seq DESC LIMIT ?5`,
    )
    .all(wid, id, doc ?? null, before, limit + 1);
  const versions = rows.slice(0, limit).map((row) => ({
    version: decodeVersion(row).version,
    place: { branch: String(row["branch_name"]), doc: String(row["doc_name"]) },
    ...(typeof row["agent"] === "string" && { agent: row["agent"] }),
  }));
  return { versions, hasMore: rows.length > limit };
}

const withPlace = `${versionColumns}, v.superseded, d.name AS doc_name, b.name AS branch_name,
  EXISTS (SELECT 1 FROM {graph_conflicts} c WHERE c.wid = d.wid AND c.doc = v.doc AND c.key = v.key
    AND c.status = 'open')::int AS conflict`;
const joined = `{graph_versions} v JOIN {memory_docs} d ON d.doc = v.doc AND d.wid = ?1
  JOIN {memory_branches} b ON b.bid = v.bid AND b.deleted_at_ms IS NULL`;
const isNode = "v.kind = 'node' AND v.deleted = 0";

export async function findWords(
  { connection, wid }: Place,
  words: readonly string[],
  { limit, earlier }: WordOptions,
): Promise<NodeWithWords[]> {
  const { sql } = connection;
  const matching = sql(`SELECT ${withPlace} FROM ${joined} WHERE ${isNode} AND ${isHead("v")}
    AND v.seq IN (SELECT w.seq FROM {graph_words} w WHERE w.doc IN (SELECT o.doc FROM {memory_docs} o WHERE o.wid = ?1)
      AND w.words @@ ?2::tsquery) ORDER BY v.seq DESC LIMIT ?3`);
  const found = await Promise.all(words.map((word) => matching.all(wid, toQuery(word), limit)));
  const past = earlier
    ? await sql(`SELECT ${withPlace} FROM ${joined} WHERE ${isNode} AND v.superseded IS NOT NULL
        ORDER BY v.seq DESC LIMIT ?2`).all(wid, maxEarlier)
    : [];
  return [...new Map([...found.flat(), ...past].map((row) => [row["seq"], decodeFound(row)])).values()];
}
