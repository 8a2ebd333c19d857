import type { SearchHit, SearchPage, SearchQuery } from "../../ports/ledger-store.ts";
import type { Row, SqlValue } from "./driver.ts";
import type { Connection } from "./open-database.ts";
import { decodeAddress, decodeSession, sessionColumns } from "./rows.ts";
import { matchWords } from "./words.ts";

/** Ranking looks at the newest matches only, so that a word that stands everywhere stays cheap. */
const ranked = 1_000;

/** Contents of thoughts first; sessions whose title, description or tags match are put before them on page one. */
export function searchLedger(
  connection: Connection,
  query: SearchQuery,
  unindexed: number,
  now: Date,
): SearchPage {
  const find = (mode: "all" | "any", from: number, to: number): SearchHit[] => {
    const words = matchWords(query.query, mode);
    if (words === undefined) return [];
    const sessions = query.type === undefined ? matchSessions(connection, query, words, now) : [];
    const thoughts = matchThoughts(connection, query, words, to, now);
    const merge = query.order === "newest" ? mergeNewest : mergeBest;
    return merge(sessions, thoughts).slice(from, to);
  };
  const [from, to] = [query.offset, query.offset + query.limit + 1];
  const strict = find("all", from, to);
  // A later page is relaxed only where the first one was.
  const relax = strict.length === 0 && (from === 0 || find("all", 0, 1).length === 0);
  const hits = relax ? find("any", from, to) : strict;
  return {
    hits: hits.slice(0, query.limit),
    hasMore: hits.length > query.limit,
    relaxed: relax && hits.length > 0,
    unindexed,
  };
}

function mergeBest(sessions: SearchHit[], thoughts: SearchHit[]): SearchHit[] {
  return [...sessions, ...thoughts].sort((a, b) => b.score - a.score);
}

/** Both lists keep their order of arrival, whatever the clock did; so every page starts where the last one ended. */
function mergeNewest(sessions: SearchHit[], thoughts: SearchHit[]): SearchHit[] {
  const merged: SearchHit[] = [];
  let next = 0;
  for (const thought of thoughts) {
    for (let hit = sessions[next]; hit && timeOf(hit) >= timeOf(thought); hit = sessions[next]) {
      merged.push(hit);
      next += 1;
    }
    merged.push(thought);
  }
  return [...merged, ...sessions.slice(next)];
}

const timeOf = (hit: SearchHit): string => hit.timestamp ?? hit.session.createdAt;

function matchThoughts(
  connection: Connection,
  query: SearchQuery,
  words: string,
  wanted: number,
  now: Date,
): SearchHit[] {
  const { where, values } = conditions(query, "t.timestamp");
  const newest = query.order === "newest";
  const found = connection
    .sql(`SELECT w.rowid AS seq, ${newest ? "0" : "bm25(thought_words)"} AS rank FROM thought_words w
          JOIN thoughts t ON t.seq = w.rowid JOIN sessions s ON s.sid = t.sid
          WHERE thought_words MATCH ? AND ${where} ORDER BY w.rowid DESC LIMIT ?`)
    .all(words, ...values, newest ? wanted : Math.max(ranked, wanted));
  const best = newest ? found : found.sort((a, b) => Number(a["rank"]) - Number(b["rank"])).slice(0, wanted);
  return best.flatMap((hit) => thoughtHit(connection, words, hit, now) ?? []);
}

function thoughtHit({ sql }: Connection, words: string, hit: Row, now: Date): SearchHit | undefined {
  const row = sql(`SELECT ${sessionColumns}, t.branch_id, t.number, t.timestamp,
      snippet(thought_words, 0, '«', '»', '…', 24) AS snippet
    FROM thought_words w JOIN thoughts t ON t.seq = w.rowid JOIN sessions s ON s.sid = t.sid
    WHERE thought_words MATCH ? AND w.rowid = ?`).get(words, hit["seq"] ?? 0);
  const address = row && decodeAddress(row["branch_id"], row["number"]);
  if (!row || !address) return undefined;
  return {
    session: decodeSession(row, now).session,
    address,
    timestamp: String(row["timestamp"]),
    snippet: String(row["snippet"]),
    score: roundScore(-Number(hit["rank"])),
  };
}

/** A title says more than a sentence somewhere inside: its words weigh double. */
function matchSessions({ sql }: Connection, query: SearchQuery, words: string, now: Date): SearchHit[] {
  const { where, values } = conditions(query, "s.created_at");
  return sql(`SELECT ${sessionColumns}, bm25(session_words, 4.0, 2.0, 2.0) AS rank,
      snippet(session_words, -1, '«', '»', '…', 24) AS snippet
    FROM session_words w JOIN sessions s ON s.sid = w.rowid
    WHERE session_words MATCH ? AND ${where} ORDER BY w.rowid DESC LIMIT 200`)
    .all(words, ...values)
    .map((row) => ({
      session: decodeSession(row, now).session,
      snippet: String(row["snippet"]),
      score: roundScore(-Number(row["rank"])),
    }));
}

const roundScore = (score: number): number => Math.round(score * 1000) / 1000;

function conditions(query: SearchQuery, timeColumn: string): { where: string; values: SqlValue[] } {
  const parts = ["s.deleted_at IS NULL"];
  const values: SqlValue[] = [];
  const add = (part: string, ...more: SqlValue[]) => {
    parts.push(part);
    values.push(...more);
  };
  if (query.project !== undefined) add("s.project = ?", query.project);
  for (const tag of query.tags ?? []) {
    add("EXISTS (SELECT 1 FROM session_tags g WHERE g.tag = ? AND g.sid = s.sid)", tag);
  }
  if (query.type !== undefined) add("instr(t.cipher_types, ?) > 0", query.type);
  if (query.since !== undefined) add(`${timeColumn} >= ?`, query.since);
  if (query.until !== undefined) add(`${timeColumn} <= ?`, query.until);
  return { where: parts.join(" AND "), values };
}
