import type { Term } from "../../../domain/search/question.ts";
import type {
  Extent,
  SearchSource,
  SessionFacts,
  SessionMatches,
  TextPlace,
  Timed,
} from "../../../domain/search/source.ts";
import type { ScopeQuery } from "../../../ports/ledger-store.ts";
import { unpack } from "../../rows/row.ts";
import { decodeHeading, headingColumns, searchLimits } from "../../rows/search-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import { countTexts, everyText, matchingSessions, matchingTexts, placeOf, placesOf } from "./scan-matches.ts";
import { type SearchScope, textCondition, textTables, toSearchScope } from "./search-scope.ts";
import { selectPart, selectShown } from "./shown-hits.ts";
import { quoteWords } from "./words.ts";

/** Rows per statement, so that each statement takes only a few milliseconds. */
const chunk = 4_000;
const { readChars, perSession: maxOfSession, elsewhere } = searchLimits;

const joined = (words: readonly Term[], joint: "all" | "any"): string =>
  words.map(({ wanted }) => quoteWords(wanted)).join(joint === "all" ? " AND " : " OR ");

const inText = (term: Term): string => `text : ${quoteWords(term.wanted)}`;

/** Runs the queries of a search on FTS5 and ordinary tables. */
export async function openSqliteSource(
  read: WithConnection,
  query: ScopeQuery,
  now: Date,
): Promise<SearchSource> {
  const scope = await read((connection) => toSearchScope(connection, query));
  return {
    extent: () => read((connection) => measureScope(connection, scope)),
    async newest(word, max) {
      return {
        texts: await matchingTexts(read, scope, inText(word), max.texts),
        headings: await matchingSessions(read, scope, quoteWords(word.wanted), max.headings),
      };
    },
    both: (one, other, max) => matchingTexts(read, scope, `${inText(one)} AND ${inText(other)}`, max),
    async places(seqs) {
      const places: TextPlace[] = [];
      for (const some of chunksOf(seqs))
        for (const place of await read((connection) => selectPlaces(connection, scope, some)))
          places.push(place);
      return places;
    },
    async sessions(sids) {
      const facts: SessionFacts[] = [];
      for (const some of chunksOf(sids))
        for (const one of await read((connection) => selectFacts(connection, some))) facts.push(one);
      return facts;
    },
    within: (sids, words) =>
      read((connection) => words.map((word) => selectWithin(connection, scope, sids, word))),
    async matches(words, joint) {
      const expression = joined(words, joint);
      const counts = await countTexts(read, scope, `text : (${expression})`);
      for (const sid of await matchingSessions(read, scope, expression, Number.MAX_SAFE_INTEGER))
        if (!counts.has(sid)) counts.set(sid, 0);
      const matches: SessionMatches[] = [];
      for (const sids of chunksOf([...counts.keys()]))
        for (const { sid, id } of await read((connection) => selectIds(connection, sids)))
          matches.push({ sessionId: id, texts: counts.get(sid) ?? 0 });
      return matches;
    },
    async holding(words, joint, max) {
      const expression = joined(words, joint);
      return {
        texts: await matchingTexts(read, scope, `text : (${expression})`, max.texts),
        headings: await matchingSessions(read, scope, expression, max.headings),
      };
    },
    everything: (max) => everyText(read, scope, max),
    times: (seqs, sids) =>
      read((connection) => ({
        texts: selectTimes(connection, textTimes, seqs),
        headings: selectTimes(connection, sessionTimes, sids),
      })),
    elsewhere: (words) => read((connection) => countElsewhere(connection, scope, words)),
    show: (hits, length) => read((connection) => selectShown(connection, hits, length, now)),
    part: (seq, from, length) => read((connection) => selectPart(connection, seq, from, length)),
    texts: (seqs, sids) =>
      read((connection) => ({
        texts: seqs.flatMap((seq) => {
          const text = readBeginning(connection, seq);
          return text === undefined ? [] : [{ seq, text }];
        }),
        headings: readHeadings(connection, sids),
      })),
  };
}

function* chunksOf(numbers: readonly number[]): Generator<readonly number[]> {
  for (let from = 0; from < numbers.length; from += chunk) yield numbers.slice(from, from + chunk);
}

function measureScope({ sql }: Connection, { project, sids, wid }: SearchScope): Extent {
  const number = (text: string, ...values: (string | number)[]) =>
    Number(sql(text).get(...values)?.["n"] ?? 0);
  const edge = (sid: number, end: "ASC" | "DESC") =>
    number(`SELECT seq AS n FROM thoughts WHERE sid = ? ORDER BY position ${end} LIMIT 1`, sid);
  const extentOf = (first: number, last: number, totals: Record<string, unknown> | undefined): Extent => {
    const notes = wid === undefined ? 0 : number("SELECT notes AS n FROM note_totals WHERE wid = ?", wid);
    const [sessions, thoughts] = [Number(totals?.["sessions"] ?? 0), Number(totals?.["thoughts"] ?? 0)];
    return { texts: thoughts + notes, sessions: sessions + notes, first, last };
  };
  if (sids) {
    const totals = sql(`SELECT count(*) AS sessions, sum(thought_count) AS thoughts FROM sessions
      WHERE sid IN (SELECT value FROM json_each(?))`).get(JSON.stringify(sids));
    return extentOf(edge(Math.min(...sids), "ASC"), edge(Math.max(...sids), "DESC"), totals);
  }
  if (project === undefined) {
    const totals = sql(
      "SELECT sum(sessions) AS sessions, sum(thoughts) AS thoughts FROM project_totals",
    ).get();
    const end = (which: "min" | "max") => number(`SELECT ${which}(seq) AS n FROM thoughts`);
    return extentOf(end("min"), end("max"), totals);
  }
  const totals = sql("SELECT sessions, thoughts FROM project_totals WHERE project = ?").get(project);
  const sidAt = (which: "min" | "max") =>
    number(`SELECT ${which}(sid) AS n FROM sessions WHERE project = ? AND deleted_at IS NULL`, project);
  return extentOf(edge(sidAt("min"), "ASC"), edge(sidAt("max"), "DESC"), totals);
}

function selectPlaces({ sql }: Connection, { wid }: SearchScope, seqs: readonly number[]): TextPlace[] {
  const list = JSON.stringify(seqs);
  const thoughts =
    sql(`SELECT group_concat(t.seq || ' ' || t.sid || ' ' || t.position || ' ' || octet_length(t.thought))
    AS rows FROM json_each(?) j CROSS JOIN thoughts t ON t.seq = j.value`).get(list);
  const places = Array.from(unpack(thoughts?.["rows"], 4), toPlace);
  if (wid === undefined) return places;
  const notes = sql(`SELECT group_concat(e.seq || ' ' || octet_length(e.content) || ' ' || e.ts_ms) AS rows
    FROM json_each(?) j CROSS JOIN memory_entries e ON e.seq = j.value`).get(list);
  for (const [seq = 0, size = 0, at = 0] of unpack(notes?.["rows"], 3))
    places.push({ seq, sid: undefined, position: 1, size, created: new Date(at).toISOString() });
  return places;
}

const toPlace = ([seq = 0, sid = 0, position = 0, size = 0]: number[]): TextPlace => ({
  seq,
  sid,
  position,
  size,
});

function selectFacts({ sql }: Connection, sids: readonly number[]): SessionFacts[] {
  const row =
    sql(`SELECT group_concat(sid || ' ' || thought_count || ' ' || replace(substr(created_at, 1, 10), '-', ''))
    AS rows FROM json_each(?) j CROSS JOIN sessions s ON s.sid = j.value WHERE s.deleted_at IS NULL`).get(
      JSON.stringify(sids),
    );
  return Array.from(unpack(row?.["rows"], 3), ([sid = 0, texts = 0, day = 0]) => {
    const digits = String(day).padStart(8, "0");
    return { sid, texts, created: `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}` };
  });
}

const selectIds = ({ sql }: Connection, sids: readonly number[]): { sid: number; id: string }[] =>
  sql("SELECT s.sid, s.id FROM json_each(?) j CROSS JOIN sessions s ON s.sid = j.value")
    .all(JSON.stringify(sids))
    .map(({ sid, id }) => ({ sid: Number(sid), id: String(id) }));

/**
 * Searches all sessions at once. If the limit is reached, searches them one by one, so that a long session does not
 * crowd out the others.
 */
function selectWithin(
  connection: Connection,
  scope: SearchScope,
  sids: readonly number[],
  word: Term,
): TextPlace[] {
  const found = matchWithin(connection, scope, sids, word, maxOfSession * sids.length);
  if (sids.length === 1 || found.length < maxOfSession * sids.length) return found;
  return sids.flatMap((sid) => matchWithin(connection, scope, [sid], word, maxOfSession));
}

function matchWithin(
  { sql }: Connection,
  scope: SearchScope,
  sids: readonly number[],
  word: Term,
  max: number,
): TextPlace[] {
  if (sids.length === 0) return [];
  const matches = "SELECT rowid AS id FROM text_words WHERE text_words MATCH ? ORDER BY rowid DESC LIMIT ?";
  const place = "t.seq || ' ' || t.sid || ' ' || t.position || ' ' || octet_length(t.thought)";
  const { where, values } = scope.whole ? { where: "1", values: [] } : textCondition(scope);
  const tables = scope.whole ? "CROSS JOIN thoughts t ON t.seq = w.id" : textTables(scope);
  const row = sql(
    `SELECT group_concat(CASE WHEN ${where} THEN ${place} END) AS rows FROM (${matches}) w ${tables}`,
  ).get(...values, `${placesOf(sids.map(placeOf))} AND ${inText(word)}`, max);
  return Array.from(unpack(row?.["rows"], 4), toPlace);
}

function readBeginning({ sql }: Connection, seq: number): string | undefined {
  const row =
    sql("SELECT substr(thought, 1, ?) AS text FROM thoughts WHERE seq = ?").get(readChars, seq) ??
    sql(
      "SELECT substr(coalesce(title || char(10), '') || content, 1, ?) AS text FROM memory_entries WHERE seq = ?",
    ).get(readChars, seq);
  return row && String(row["text"]);
}

function readHeadings({ sql }: Connection, sids: readonly number[]) {
  return sql(`SELECT ${headingColumns} FROM sessions s WHERE s.sid IN (SELECT value FROM json_each(?))`)
    .all(JSON.stringify(sids))
    .map(decodeHeading);
}

const sessionTimes = `SELECT s.sid AS id, s.created_at AS time FROM json_each(?) j CROSS JOIN sessions s ON s.sid = j.value
  ORDER BY s.sid DESC`;
const textTimes = `SELECT j.value AS id, coalesce(t.timestamp,
    strftime('%Y-%m-%dT%H:%M:%fZ', e.ts_ms / 1000.0, 'unixepoch'), '') AS time
  FROM json_each(?) j LEFT JOIN thoughts t ON t.seq = j.value LEFT JOIN memory_entries e ON e.seq = j.value
  ORDER BY j.value DESC`;

const selectTimes = ({ sql }: Connection, select: string, ids: readonly number[]): Timed[] =>
  ids.length === 0
    ? []
    : sql(select)
        .all(JSON.stringify(ids))
        .map((row) => ({ id: Number(row["id"]), time: String(row["time"]) }));

function countElsewhere({ sql }: Connection, { project }: SearchScope, terms: readonly Term[]): number {
  if (project === undefined) return 0;
  const others = sql(
    "SELECT 1 FROM project_totals WHERE project <> ? AND sessions > 0 AND thoughts > 0 LIMIT 1",
  ).get(project);
  if (!others) return 0;
  const words = terms.map(({ wanted }) => quoteWords(wanted)).join(" AND ");
  const row = sql(`SELECT count(*) AS n FROM (
      SELECT 1 FROM (SELECT rowid AS id FROM text_words WHERE text_words MATCH ? ORDER BY rowid DESC LIMIT ?) w
      CROSS JOIN thoughts t ON t.seq = w.id CROSS JOIN sessions s ON s.sid = t.sid
      WHERE s.project <> ? AND s.deleted_at IS NULL LIMIT ?)`).get(
    `text : (${words})`,
    elsewhere.checked,
    project,
    elsewhere.counted,
  );
  return Number(row?.["n"] ?? 0);
}
