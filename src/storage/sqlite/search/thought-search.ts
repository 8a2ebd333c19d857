import type { Address } from "../../../domain/ledger/address.ts";
import type { Session } from "../../../domain/ledger/session.ts";
import type { SearchHit, SearchPage, SearchQuery } from "../../../ports/ledger-store.ts";
import type { Row, SqlValue } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { decodeAddress, decodeSession, sessionColumns } from "../ledger/rows.ts";
import { rarity, type ScoredText, scoreTexts } from "./score-texts.ts";
import { matchWords, phrasesOf } from "./words.ts";

/** Ranking looks at the newest matches only, so that a word that stands everywhere stays cheap. */
const rankedThoughts = 1_000;
const rankedSessions = 200;
/** Longer thoughts are not read for ranking: a thousand of a mebibyte each would take seconds. */
const longestRead = 32_768;
/** So many of the newest texts that hold a word tell how common it is. */
const sample = 100;

/** A text that matches; what only its page needs is fetched later, unless it was at hand. */
type Match = {
  kind: "session" | "thought";
  id: number;
  time: string;
  score: number;
  thought?: FoundThought | undefined;
};
type FoundThought = { sid: number; address: Address; timestamp: string; snippet: string };
type Mode = "all" | "any";

/** Contents of thoughts first; sessions whose title, description or tags match are put before them on page one. */
export function searchLedger(
  connection: Connection,
  query: SearchQuery,
  unindexed: number,
  now: Date,
): SearchPage {
  const find = (mode: Mode, from: number, to: number): SearchHit[] => {
    const words = matchWords(query.query, mode);
    if (words === undefined) return [];
    const sessions = query.type === undefined ? matchSessions(connection, query, words, mode, to) : [];
    const thoughts = matchThoughts(connection, query, words, mode, to);
    const merge = query.order === "newest" ? mergeNewest : mergeBest;
    return describeMatches(connection, words, merge(sessions, thoughts).slice(from, to), now);
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

function mergeBest(sessions: Match[], thoughts: Match[]): Match[] {
  return [...sessions, ...thoughts].sort((a, b) => b.score - a.score);
}

/** Both lists keep their order of arrival, whatever the clock did; so every page starts where the last one ended. */
function mergeNewest(sessions: Match[], thoughts: Match[]): Match[] {
  const merged: Match[] = [];
  let next = 0;
  for (const thought of thoughts) {
    for (let match = sessions[next]; match && match.time >= thought.time; match = sessions[next]) {
      merged.push(match);
      next += 1;
    }
    merged.push(thought);
  }
  return [...merged, ...sessions.slice(next)];
}

function matchThoughts(
  connection: Connection,
  query: SearchQuery,
  words: string,
  mode: Mode,
  wanted: number,
): Match[] {
  const { where, values } = conditions(query, "t.timestamp");
  const newest = query.order === "newest";
  const text = `octet_length(t.thought) AS size,
    CASE WHEN octet_length(t.thought) <= ${longestRead} THEN t.thought END AS thought`;
  const rows = connection
    .sql(`SELECT w.rowid AS id, ${newest ? shownColumns : text} FROM thought_words w
          JOIN thoughts t ON t.seq = w.rowid JOIN sessions s ON s.sid = t.sid
          WHERE thought_words MATCH ? AND ${where} ORDER BY w.rowid DESC LIMIT ?`)
    .all(words, ...values, newest ? wanted : Math.max(rankedThoughts, wanted));
  if (newest) return rows.map((row) => ({ ...toMatch("thought", row), thought: toThought(row) }));
  const toText = (row: Row): ScoredText => ({
    fields: [{ text: String(row["thought"] ?? ""), weight: 1 }],
    length: Number(row["size"]),
  });
  return rank(connection, query, "thought", mode, rows, toText).slice(0, wanted);
}

/** A title says more than a sentence somewhere inside, and twice as much as a description or a tag. */
function matchSessions(
  connection: Connection,
  query: SearchQuery,
  words: string,
  mode: Mode,
  wanted: number,
): Match[] {
  const { where, values } = conditions(query, "s.created_at");
  const newest = query.order === "newest";
  const rows = connection
    .sql(`SELECT w.rowid AS id, ${newest ? "s.created_at AS time" : "s.title, s.description, s.tags"}
          FROM session_words w JOIN sessions s ON s.sid = w.rowid
          WHERE session_words MATCH ? AND ${where} ORDER BY w.rowid DESC LIMIT ?`)
    .all(words, ...values, newest ? Math.min(rankedSessions, wanted) : rankedSessions);
  if (newest) return rows.map((row) => toMatch("session", row));
  const toText = (row: Row): ScoredText => {
    const [title, description, tags] = ["title", "description", "tags"].map((name) =>
      String(row[name] ?? ""),
    );
    const fields = [
      { text: title ?? "", weight: 4 },
      { text: description ?? "", weight: 2 },
      { text: tags ?? "", weight: 2 },
    ];
    return { fields, length: fields.reduce((sum, { text }) => sum + text.length, 0) };
  };
  return rank(connection, query, "session", mode, rows, toText).slice(0, wanted);
}

const toMatch = (kind: Match["kind"], row: Row, score = 0): Match => ({
  kind,
  id: Number(row["id"]),
  time: String(row["time"]),
  score,
});

/** Best first; among equals the newest, in whose order they come. */
function rank(
  connection: Connection,
  query: SearchQuery,
  kind: Match["kind"],
  mode: Mode,
  rows: readonly Row[],
  toText: (row: Row) => ScoredText,
): Match[] {
  if (rows.length === 0) return [];
  const terms = phrasesOf(query.query).map((phrase) => ({
    phrase,
    weight: rarityOf(connection, kind, phrase),
  }));
  const scores = scoreTexts(rows.map(toText), terms, mode === "all" ? 1 : 0);
  return rows.map((row, n) => toMatch(kind, row, scores[n])).sort((a, b) => b.score - a.score);
}

/** Not counted, which would visit every text, but guessed from how close together the newest ones stand. */
function rarityOf({ sql }: Connection, kind: Match["kind"], phrase: string): number {
  const [table, key] = kind === "thought" ? ["thoughts", "seq"] : ["sessions", "sid"];
  const row =
    sql(`SELECT count(*) AS held, min(rowid) AS oldest, (SELECT max(${key}) FROM ${table}) AS last FROM
    (SELECT rowid FROM ${kind}_words WHERE ${kind}_words MATCH ? ORDER BY rowid DESC LIMIT ${sample})`).get(
      `"${phrase}"`,
    );
  const [held, last] = [Number(row?.["held"]), Number(row?.["last"])];
  if (held < sample) return rarity(held, last);
  return rarity((held * last) / (last - Number(row?.["oldest"]) + 1), last);
}

function describeMatches(
  connection: Connection,
  words: string,
  matches: readonly Match[],
  now: Date,
): SearchHit[] {
  const idsOf = (kind: Match["kind"]) =>
    matches.flatMap((match) => (match.kind === kind && !match.thought ? [match.id] : []));
  const thoughts = thoughtsOf(connection, words, idsOf("thought"));
  const snippets = sessionSnippets(connection, words, idsOf("session"));
  const sessions = new Map<number, Session | undefined>();
  const sessionOf = (sid: number): Session | undefined => {
    if (!sessions.has(sid)) sessions.set(sid, readSession(connection, sid, now));
    return sessions.get(sid);
  };
  return matches.flatMap(({ kind, id, score, thought: known }): SearchHit[] => {
    const thought = kind === "thought" ? (known ?? thoughts.get(id)) : undefined;
    const session = sessionOf(kind === "thought" ? (thought?.sid ?? 0) : id);
    if (!session) return [];
    const hit = { session, snippet: thought?.snippet ?? snippets.get(id) ?? "", score: roundScore(score) };
    return [thought ? { ...hit, address: thought.address, timestamp: thought.timestamp } : hit];
  });
}

function readSession({ sql }: Connection, sid: number, now: Date): Session | undefined {
  const row = sql(`SELECT ${sessionColumns} FROM sessions s WHERE s.sid = ?`).get(sid);
  return row && decodeSession(row, now).session;
}

/**
 * One walk from the newest match down to the last one of the page. The + keeps SQLite from looking up each row by
 * itself, for which FTS5 would walk there from the oldest match every time.
 */
const ofPage = "+w.rowid IN (SELECT value FROM json_each(?)) ORDER BY w.rowid DESC LIMIT ?";

const shownColumns = `t.sid, t.branch_id, t.number, t.timestamp, t.timestamp AS time,
  snippet(thought_words, 0, '«', '»', '…', 24) AS snippet`;

function toThought(row: Row): FoundThought | undefined {
  const address = decodeAddress(row["branch_id"], row["number"]);
  const [timestamp, snippet] = [String(row["timestamp"]), String(row["snippet"])];
  return address && { sid: Number(row["sid"]), address, timestamp, snippet };
}

function thoughtsOf(
  { sql }: Connection,
  words: string,
  ids: number[],
): Map<number, FoundThought | undefined> {
  if (ids.length === 0) return new Map();
  const rows =
    sql(`SELECT w.rowid AS id, ${shownColumns} FROM thought_words w JOIN thoughts t ON t.seq = w.rowid
    WHERE thought_words MATCH ? AND ${ofPage}`).all(words, JSON.stringify(ids), ids.length);
  return new Map(rows.map((row) => [Number(row["id"]), toThought(row)]));
}

function sessionSnippets({ sql }: Connection, words: string, ids: number[]): Map<number, string> {
  if (ids.length === 0) return new Map();
  const rows = sql(`SELECT w.rowid AS id, snippet(session_words, -1, '«', '»', '…', 24) AS snippet
    FROM session_words w WHERE session_words MATCH ? AND ${ofPage}`).all(
    words,
    JSON.stringify(ids),
    ids.length,
  );
  return new Map(rows.map((row) => [Number(row["id"]), String(row["snippet"])]));
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
