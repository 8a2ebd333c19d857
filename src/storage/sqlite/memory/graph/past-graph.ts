import type {
  NodeWithWords,
  VersionsQuery,
  WordOptions,
  WrittenVersion,
} from "../../../../ports/memory/graph.ts";
import { decodeVersion, versionColumns } from "../../../rows/graph-rows.ts";
import { decodeFound, decodePastRow, maxEarlier } from "../../../rows/past-graph.ts";
import { quoteWords } from "../../search/words.ts";
import type { Place } from "../places.ts";
import { type GraphView, isHead } from "./graph-view.ts";

/** Visible versions and superseded ones have an index each, and some are in both. */
const either = (condition: string): string =>
  ["visible = 1", "superseded IS NOT NULL"]
    .map((which) => `SELECT v.seq FROM graph_versions v WHERE v.${which} AND ${condition}`)
    .join(" UNION ");

export function pastRows({ place, doc, cutoffs }: GraphView) {
  const rows = place.connection
    .sql(
      `SELECT v.key, v.seq, v.bid, v.ts_ms FROM (${either("v.doc = ?1")}) s CROSS JOIN graph_versions v ON v.seq = s.seq`,
    )
    .all(doc ?? 0)
    .map(decodePastRow);
  return { rows, view: cutoffs };
}

export function listVersions(
  { connection, wid }: Place,
  { id, doc, before = Number.MAX_SAFE_INTEGER, limit }: VersionsQuery,
): { versions: WrittenVersion[]; hasMore: boolean } {
  const rows = connection
    .sql(
      `SELECT ${versionColumns}, d.name AS doc_name, b.name AS branch_name,
         (SELECT iif(a.last_seq >= v.seq, a.agent, NULL) FROM graph_authors a WHERE a.wid = ?1 AND a.first_seq <= v.seq
          ORDER BY a.first_seq DESC LIMIT 1) AS agent
       FROM memory_docs d CROSS JOIN graph_versions v ON v.seq IN (${either("v.doc = d.doc AND v.key = ?2")})
       JOIN memory_branches b ON b.bid = v.bid AND b.deleted_at_ms IS NULL
       WHERE d.wid = ?1 AND d.name = coalesce(?3, d.name) AND v.kind = 'node' AND v.seq < ?4
         AND v.seq <= (SELECT value FROM counters WHERE name = 'seq')
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

/** So many documents are named in the question to the index; beyond, what it finds is filtered. */
const maxPlaces = 200;

const withPlace = `${versionColumns}, v.superseded, d.name AS doc_name, b.name AS branch_name,
  EXISTS (SELECT 1 FROM graph_conflicts c WHERE c.wid = d.wid AND c.doc = v.doc AND c.key = v.key
    AND c.status = 'open') AS conflict`;
/** `found` is an expression for the seq of a version. */
const joined = (found: string): string => `CROSS JOIN graph_versions v
  ON v.seq = ${found} AND v.kind = 'node' AND v.deleted = 0 JOIN memory_docs d ON d.doc = v.doc AND d.wid = ?1
  JOIN memory_branches b ON b.bid = v.bid AND b.deleted_at_ms IS NULL`;

export function findWords(
  { connection, wid }: Place,
  words: readonly string[],
  { limit, earlier }: WordOptions,
): NodeWithWords[] {
  const { sql } = connection;
  const docs = sql("SELECT doc FROM memory_docs WHERE wid = ? LIMIT ?").all(wid, maxPlaces + 1);
  if (docs.length === 0) return [];
  const places =
    docs.length > maxPlaces ? "" : `place : (${docs.map(({ doc }) => `"d${doc}"`).join(" OR ")}) AND `;
  // In the order of the index, so that it is asked for no more than the page.
  const matching = sql(
    `SELECT ${withPlace} FROM graph_words w ${joined("w.rowid")}
     WHERE graph_words MATCH ?2 AND ${isHead("v")} ORDER BY w.rowid DESC LIMIT ?3`,
  );
  const rows = words.flatMap((word) =>
    matching.all(wid, `${places}({title text} : ${quoteWords(word)})`, limit),
  );
  const past = earlier
    ? sql(
        `SELECT ${withPlace} FROM (SELECT h.seq FROM memory_docs o JOIN graph_versions h
           ON h.doc = o.doc AND h.superseded IS NOT NULL WHERE o.wid = ?1) w ${joined("w.seq")} ORDER BY v.seq DESC LIMIT ?2`,
      ).all(wid, maxEarlier)
    : [];
  return [...new Map([...rows, ...past].map((row) => [row["seq"], decodeFound(row)])).values()];
}
