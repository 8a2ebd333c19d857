import type { Agent } from "../../domain/memory/agents.ts";
import type { Entry } from "../../domain/memory/entry.ts";
import { endOfTime, type Lineage } from "../../domain/memory/lineage.ts";
import type { BranchRow } from "../../domain/memory/steps/rows.ts";
import type { DocumentSummary, EntryPage, MarkPage } from "../../ports/memory/memory-store.ts";
import { decodeEntry, decodeMark, entryColumns } from "../rows/memory-rows.ts";
import { findDoc, loadLineage, type Place } from "./places.ts";
import { all, get, type Query } from "./query.ts";

export const selectEntry = `SELECT ${entryColumns}, b.name AS branch_name, d.name AS doc_name, d.wid AS wid FROM {memory_entries} e
  JOIN {memory_branches} b ON b.bid = e.bid JOIN {memory_docs} d ON d.doc = e.doc`;

export const selectMark = "SELECT e.seq, e.format, e.meta FROM {memory_entries} e";

/** Reads an entry by its seq. Returns `undefined` if a deleted branch hides the entry. */
export function* readEntry({ wid }: Place, seq: number): Query<Entry | undefined> {
  const row = yield* get(`${selectEntry} WHERE e.seq = ? AND b.deleted_at_ms IS NULL`, seq);
  return row && row["wid"] === wid ? decodeEntry(row) : undefined;
}

export function* readEntriesAt({ wid }: Place, seqs: readonly number[]): Query<Entry[]> {
  const rows = yield* all(
    `${selectEntry} WHERE e.seq IN NUMBERS(?) AND d.wid = ? AND b.deleted_at_ms IS NULL ORDER BY e.seq`,
    ...[seqs, wid],
  );
  return rows.map(decodeEntry);
}

/** SQL: true for original notes, but not for the copies that a merge makes. */
const ownNotes = "e.kind = 'note' AND e.origin = e.seq AND b.deleted_at_ms IS NULL";

export function* listNotes(
  place: Place,
  doc: string | undefined,
  limit: number,
): Query<{ notes: Entry[]; total: number }> {
  const number = doc === undefined ? undefined : yield* findDoc(place, doc);
  if (doc !== undefined && number === undefined) return { notes: [], total: 0 };
  const [scope, of] = number === undefined ? ["d.wid = ?", place.wid] : ["e.doc = ?", number];
  const rows = yield* all(
    `${selectEntry} WHERE ${scope} AND ${ownNotes} ORDER BY e.seq DESC LIMIT ?`,
    ...[of, limit],
  );
  const counted = yield* get(
    `SELECT count(*) AS total FROM {memory_entries} e JOIN {memory_branches} b ON b.bid = e.bid
     JOIN {memory_docs} d ON d.doc = e.doc WHERE ${scope} AND ${ownNotes}`,
    of,
  );
  return { notes: rows.map(decodeEntry), total: Number(counted?.["total"] ?? 0) };
}

export function* newestSeqBy({ wid }: Place, { name, keys }: Agent): Query<number> {
  const kept = yield* get(
    "SELECT max(a.seq) AS seq FROM {memory_agents} a WHERE a.wid = ? AND a.key IN (?, ?)",
    ...[wid, keys[0] ?? "", keys[1] ?? ""],
  );
  if (typeof kept?.["seq"] === "number" || name === undefined) return Number(kept?.["seq"] ?? 0);
  const row = yield* get(
    `SELECT e.seq FROM {memory_entries} e JOIN {memory_docs} d ON d.doc = e.doc AND d.wid = ?
     WHERE e.agent_id = ? AND e.seq > @published - 100000 ORDER BY e.seq DESC LIMIT 1`,
    ...[wid, name],
  );
  return Number(row?.["seq"] ?? 0);
}

export function* listHeard({ wid }: Place, keys: readonly string[]): Query<ReadonlyMap<string, number>> {
  const rows = yield* all(
    "SELECT a.key, a.at_ms FROM {memory_agents} a WHERE a.wid = ? AND a.key IN TEXTS(?)",
    ...[wid, keys],
  );
  return new Map(rows.map((row) => [String(row["key"]), Number(row["at_ms"])]));
}

const inOneBranch = (select: string): string =>
  `${select} WHERE e.doc = ? AND e.bid = ? AND e.seq > ? AND e.seq <= ? ORDER BY e.seq DESC LIMIT ?`;

const entryPages = { ofBranch: inOneBranch(selectEntry), ofSegments: ":entriesInSegments" };
const markPages = { ofBranch: inOneBranch(selectMark), ofSegments: ":marksInSegments" };

/**
 * Returns the newest rows in these segments, newest first. Reads one row more than `limit`, to find out
 * whether more rows follow.
 */
function* pageRows(
  { ofBranch, ofSegments }: typeof entryPages,
  doc: number | undefined,
  segments: Lineage,
  before: number | undefined,
  limit: number,
) {
  if (doc === undefined) return [];
  const [only, ...others] = segments;
  const endOf = (upTo: number) => Math.min(upTo, (before ?? endOfTime) - 1);
  if (only && others.length === 0)
    return yield* all(ofBranch, doc, only.branch, only.after, endOf(only.upTo), limit + 1);
  return yield* all(
    ofSegments,
    JSON.stringify(segments.map(({ branch, after, upTo }) => [branch, after, endOf(upTo)])),
    ...[doc, limit + 1],
  );
}

/** Returns the newest entries in these segments, oldest first. */
export function* pageEntries(
  doc: number | undefined,
  segments: Lineage,
  before: number | undefined,
  limit: number,
): Query<EntryPage> {
  const rows = yield* pageRows(entryPages, doc, segments, before, limit);
  return { entries: rows.slice(0, limit).reverse().map(decodeEntry), hasMore: rows.length > limit };
}

/** Works like `pageEntries`, but omits the text, for callers that read thousands of entries. */
export function* pageMarks(
  doc: number | undefined,
  segments: Lineage,
  before: number | undefined,
  limit: number,
): Query<MarkPage> {
  const rows = yield* pageRows(markPages, doc, segments, before, limit);
  return { entries: rows.slice(0, limit).reverse().map(decodeMark), hasMore: rows.length > limit };
}

const lastWrites = `WITH found AS MATERIALIZED (SELECT l.nth, s.form, d.name, CASE WHEN s.form = 'log'
      THEN (SELECT max(e.seq) FROM {memory_entries} e WHERE e.doc = s.doc AND e.bid = s.bid AND e.seq <= l.up_to)
      ELSE (SELECT max(v.seq) FROM {graph_versions} v
        WHERE v.doc = s.doc AND v.bid = s.bid AND v.visible = 1 AND v.seq <= l.up_to) END AS seq
    FROM LIST(?, bid number, up_to number) l CROSS JOIN {memory_streams} s ON s.bid = l.bid AND s.first_seq <= l.up_to
    JOIN {memory_docs} d ON d.doc = s.doc)
  SELECT found.form, found.name, found.seq, CASE WHEN found.form = 'log'
    THEN (SELECT e.ts_ms FROM {memory_entries} e WHERE e.seq = found.seq)
    ELSE (SELECT v.ts_ms FROM {graph_versions} v WHERE v.seq = found.seq) END AS ts_ms
  FROM found WHERE found.seq IS NOT NULL ORDER BY found.nth`;

/** Lists the documents that are visible on a branch, by name. */
export function* listDocs(_place: Place, { bid }: BranchRow): Query<DocumentSummary[]> {
  const lineage = yield* loadLineage(bid);
  const rows = yield* all(lastWrites, JSON.stringify(lineage.map(({ branch, upTo }) => [branch, upTo])));
  const docs = new Map<string, DocumentSummary>();
  for (const row of rows) {
    const id = `${row["name"]} ${row["form"]}`;
    if (docs.has(id)) continue;
    docs.set(id, {
      doc: String(row["name"]),
      form: row["form"] === "log" ? "log" : "graph",
      last_seq: Number(row["seq"]),
      last_ts_ms: Number(row["ts_ms"]),
    });
  }
  return [...docs.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, summary]) => summary);
}
