import { parseQuestion, type Term } from "../../../domain/search/question.ts";
import type { Extent, SearchSource, SessionFacts, TextPlace, Timed } from "../../../domain/search/source.ts";
import type { ScopeQuery } from "../../../ports/ledger-store.ts";
import { unpack } from "../../rows/row.ts";
import { decodeHeading, headingColumns, searchLimits } from "../../rows/search-rows.ts";
import { type Connection, rememberIn, type WithConnection } from "../connection/access.ts";
import {
  countTexts,
  everyText,
  idsOf,
  maskOf,
  matchingTexts,
  notePlace,
  packed,
  type TextSearch,
} from "./matching-texts.ts";
import {
  anywhere,
  type createTotals,
  edgeOf,
  type SearchScope,
  sessionCondition,
  textCondition,
  toSearchScope,
} from "./search-scope.ts";
import { noteText, selectPart, selectShown } from "./shown-hits.ts";
import { toQuery } from "./vectors.ts";

const { readChars, perSession: maxOfSession, elsewhere } = searchLimits;

const queryOf = ({ wanted }: Term): string => toQuery(wanted);

type ReadTotals = ReturnType<typeof createTotals>;

/** Opens a source that runs the queries of a search on the word index and ordinary tables. */
export async function openPostgresSource(
  read: WithConnection,
  query: ScopeQuery,
  now: Date,
  readTotals: ReadTotals,
): Promise<SearchSource> {
  const scope = await read((connection) => toSearchScope(connection, query));
  const totalsOf = (connection: Connection) =>
    rememberIn(connection, "totals", () => readTotals(connection, scope.project));
  const isFiltered =
    (scope.type ?? scope.since ?? scope.until ?? scope.sids ?? scope.tags?.[0]) !== undefined;
  const search: TextSearch = {
    scope,
    words: query.order === "relevance" ? parseQuestion(query.query ?? "").terms.map(queryOf) : [],
    places: new Map(),
    isWhole: async (connection) => !isFiltered && (await totalsOf(connection)).others === 0,
  };
  const texts = (words: readonly Term[], joint: "all" | "any", max: number) =>
    read((connection) => matchingTexts(connection, search, words.map(queryOf), joint, max));
  const headings = (words: readonly Term[], joint: "all" | "any", max: number) =>
    read((connection) => matchingSessions(connection, scope, words.map(queryOf), joint, max));
  const holding: SearchSource["holding"] = async (words, joint, max) => {
    const [found, called] = await Promise.all([
      texts(words, joint, max.texts),
      headings(words, joint, max.headings),
    ]);
    return { texts: found, headings: called };
  };
  return {
    extent: () => read((connection) => measureScope(connection, scope, totalsOf)),
    newest: (word, max) => holding([word], "all", max),
    both: (one, other, max) => texts([one, other], "all", max),
    places: (seqs) => read((connection) => findPlaces(connection, search, scope, seqs)),
    sessions: (sids) => read((connection) => selectFacts(connection, sids)),
    within: (sids, words) =>
      read((connection) => selectWithin(connection, search, scope, sids, words.map(queryOf))),
    holding,
    matches: async (words, joint) => {
      const queries = words.map(queryOf);
      const [counts, headings] = await Promise.all([
        read((connection) => countTexts(connection, scope, queries, joint)),
        read((connection) => matchingSessions(connection, scope, queries, joint, 2 ** 31)),
      ]);
      for (const sid of headings) if (!counts.has(sid)) counts.set(sid, 0);
      const rows = await read(({ sql }) =>
        sql("SELECT s.sid, s.id FROM {sessions} s WHERE s.sid = ANY (?::bigint[])").all([...counts.keys()]),
      );
      return rows.map(({ sid, id }) => ({ sessionId: String(id), texts: counts.get(Number(sid)) ?? 0 }));
    },
    everything: (max) => read((connection) => everyText(connection, scope, max)),
    times: (seqs, sids) =>
      read(async (connection) => {
        const [ofTexts, ofSessions] = await Promise.all([
          selectTimes(connection, textTimes, seqs),
          selectTimes(connection, sessionTimes, sids),
        ]);
        return { texts: ofTexts, headings: ofSessions };
      }),
    elsewhere: (words) => read((connection) => countElsewhere(connection, search, words.map(queryOf))),
    show: (hits, length) => read((connection) => selectShown(connection, hits, length, now)),
    part: (seq, from, length) => read((connection) => selectPart(connection, seq, from, length)),
    texts: (seqs, sids) =>
      read(async (connection) => {
        const [found, called] = await Promise.all([
          readBeginnings(connection, seqs),
          connection
            .sql(`SELECT ${headingColumns} FROM {sessions} s WHERE s.sid = ANY (?::bigint[])`)
            .all(sids),
        ]);
        return { texts: found, headings: called.map(decodeHeading) };
      }),
  };
}

/** Returns the newest sessions in the scope whose title, description or tags match. */
async function matchingSessions(
  { sql }: Connection,
  scope: SearchScope,
  queries: readonly string[],
  joint: "all" | "any",
  max: number,
): Promise<number[]> {
  if (!scope.headings || max === 0 || queries.includes("")) return [];
  const { where, values } = sessionCondition(scope, "s.created_at");
  return idsOf(
    await sql(`SELECT s.sid AS id FROM {sessions} s WHERE s.words @@ ?::tsquery AND ${where}
      ORDER BY id DESC LIMIT ?`).all(queries.join(joint === "all" ? " & " : " | "), ...values, max),
  );
}

/**
 * Counts the sessions and texts in the scope. `first` is the first seq in its oldest session, and `last` is
 * the last seq in its newest.
 */
async function measureScope(
  connection: Connection,
  { sids, wid }: SearchScope,
  totalsOf: (connection: Connection) => ReturnType<ReadTotals>,
): Promise<Extent> {
  const { sql } = connection;
  const [totals, notes] = await Promise.all([
    sids === undefined ? totalsOf(connection) : measureSessions(connection, sids),
    wid === undefined
      ? undefined
      : sql(`SELECT count(*) AS notes FROM {memory_branches} b JOIN {memory_entries} e ON e.bid = b.bid
          WHERE b.wid = ? AND b.deleted_at_ms IS NULL AND e.kind = 'note' AND e.origin = e.seq`).get(wid),
  ]);
  const besides = Number(notes?.["notes"] ?? 0);
  const { sessions, thoughts, first, last } = totals;
  return { texts: thoughts + besides, sessions: sessions + besides, first, last };
}

async function measureSessions({ sql }: Connection, sids: readonly number[]) {
  const row = await sql(`SELECT count(*) AS sessions, coalesce(sum(s.thought_count), 0) AS thoughts,
      (${edgeOf("min(s.sid)", "ASC")}) AS first, (${edgeOf("max(s.sid)", "DESC")}) AS last
    FROM {sessions} s WHERE s.sid = ANY (?::bigint[])`).get(sids);
  const number = (column: string) => Number(row?.[column] ?? 0);
  return {
    sessions: number("sessions"),
    thoughts: number("thoughts"),
    first: number("first"),
    last: number("last"),
  };
}

/** Looks up the places that are not stored with the words: those of notes and of older thoughts. */
async function findPlaces(
  { sql }: Connection,
  { places }: TextSearch,
  { wid }: SearchScope,
  seqs: readonly number[],
): Promise<TextPlace[]> {
  const unknown = seqs.filter((seq) => !places.has(seq));
  const [thoughts, notes] = await Promise.all([
    unknown.length === 0
      ? undefined
      : sql(`SELECT string_agg(concat_ws(' ', t.seq, t.sid, t.position, octet_length(t.thought)), ',') AS places
          FROM {thoughts} t WHERE t.seq = ANY (?::bigint[])`).get(unknown),
    unknown.length === 0 || wid === undefined
      ? []
      : sql(`SELECT seq, octet_length(content) AS size, ts_ms FROM {memory_entries} e
          WHERE seq = ANY (?::bigint[])`).all(unknown),
  ]);
  for (const [seq = 0, sid = 0, position = 0, size = 0] of unpack(thoughts?.["places"], 4))
    places.set(seq, { seq, sid, position, size });
  for (const row of notes) {
    const [seq, size] = [Number(row["seq"]), Number(row["size"])];
    const created = new Date(Number(row["ts_ms"])).toISOString();
    places.set(seq, { seq, sid: undefined, position: 1, size, created });
  }
  return seqs.flatMap((seq) => places.get(seq) ?? []);
}

async function selectFacts({ sql }: Connection, sids: readonly number[]): Promise<SessionFacts[]> {
  const row =
    await sql(`SELECT string_agg(concat_ws(' ', sid, thought_count, substr(created_at, 1, 10)), ',') AS facts
    FROM {sessions} s WHERE sid = ANY (?::bigint[]) AND deleted_at IS NULL`).get(sids);
  const facts = row?.["facts"];
  if (typeof facts !== "string") return [];
  return facts.split(",").map((one) => {
    const [sid, texts, created = ""] = one.split(" ");
    return { sid: Number(sid), texts: Number(texts), created };
  });
}

/**
 * Searches all given sessions for all words at once. If there are too many matches, selects the newest in
 * each session, so that a long session does not crowd out the others.
 */
async function selectWithin(
  connection: Connection,
  search: TextSearch,
  scope: SearchScope,
  sids: readonly number[],
  queries: readonly string[],
): Promise<TextPlace[][]> {
  if (sids.length === 0 || queries.length === 0) return queries.map(() => []);
  const max = maxOfSession * sids.length;
  const found = await matchWithin(connection, scope, sids, queries, max * queries.length);
  const seqs =
    found.length < max * queries.length
      ? queries.map((_, n) => {
          const all = [...new Set(found.flatMap(({ seq, mask }) => (mask & (1 << n) ? [seq] : [])))];
          return all.length < max ? all : newestOfEach(all, found);
        })
      : await Promise.all(
          queries.map(async (query) => {
            const each = sids.map((sid) => matchWithin(connection, scope, [sid], [query], maxOfSession));
            return (await Promise.all(each)).flat().map(({ seq }) => seq);
          }),
        );
  for (const place of found) notePlace(search.places, place);
  await findPlaces(connection, search, scope, [...new Set(seqs.flat())]);
  return seqs.map((list) => list.flatMap((seq) => search.places.get(seq) ?? []));
}

/** Keeps the first texts of each session. The texts must be sorted from newest to oldest. */
function newestOfEach(seqs: readonly number[], found: readonly { seq: number; sid: number }[]): number[] {
  const sidOf = new Map(found.map(({ seq, sid }) => [seq, sid]));
  const taken = new Map<number | undefined, number>();
  return seqs.filter((seq) => {
    const sid = sidOf.get(seq);
    taken.set(sid, (taken.get(sid) ?? 0) + 1);
    return (taken.get(sid) ?? 0) <= maxOfSession;
  });
}

async function matchWithin(
  { sql }: Connection,
  scope: SearchScope,
  sids: readonly number[],
  queries: readonly string[],
  max: number,
) {
  const { type, since, until } = scope;
  const ofSessions = sessionCondition({ ...scope, since: undefined, until: undefined }, "");
  // `ofSessions` checks the sessions, so texts need a check only if a filter applies to them.
  const ofTexts = (type ?? since ?? until) === undefined ? anywhere : textCondition(scope);
  const row = await sql(`SELECT string_agg(concat_ws(' ', w.seq, w.mask, ${packed("w")}), ',') AS texts FROM (
      SELECT DISTINCT f.* FROM (
        SELECT m.seq, m.sid, m.position, m.size, ${maskOf("m", queries)} AS mask FROM {text_words} m
        WHERE m.sid = ANY (ARRAY(
          SELECT s.sid FROM {sessions} s WHERE s.sid = ANY (?::bigint[]) AND ${ofSessions.where})) OFFSET 0) f
      WHERE f.mask > 0 ORDER BY f.seq DESC LIMIT ?) w WHERE ${ofTexts.where}`).get(
    ...[...queries, sids, ...ofSessions.values, max, ...ofTexts.values],
  );
  return Array.from(unpack(row?.["texts"], 5), ([seq = 0, mask = 0, sid = 0, position = 0, size = 0]) => {
    return { seq, mask, sid, position, size };
  });
}

async function readBeginnings({ sql }: Connection, seqs: readonly number[]) {
  const rows =
    await sql(`SELECT seq, substr(thought, 1, ?2) AS text FROM {thoughts} t WHERE seq = ANY (?1::bigint[])
    UNION ALL SELECT seq, substr(${noteText}, 1, ?2) FROM {memory_entries} e WHERE seq = ANY (?1::bigint[])`).all(
      seqs,
      readChars,
    );
  const bySeq = new Map(rows.map((row) => [Number(row["seq"]), String(row["text"])]));
  return seqs.flatMap((seq) => {
    const text = bySeq.get(seq);
    return text === undefined ? [] : [{ seq, text }];
  });
}

const sessionTimes = `SELECT s.sid AS id, s.created_at AS time, NULL AS at FROM {sessions} s
  WHERE s.sid = ANY (?::bigint[]) ORDER BY s.sid DESC`;
const textTimes = `SELECT j.id, t.timestamp AS time, e.ts_ms AS at FROM unnest(?::bigint[]) j (id)
  LEFT JOIN {thoughts} t ON t.seq = j.id LEFT JOIN {memory_entries} e ON e.seq = j.id ORDER BY j.id DESC`;

async function selectTimes({ sql }: Connection, select: string, ids: readonly number[]): Promise<Timed[]> {
  if (ids.length === 0) return [];
  return (await sql(select).all(ids)).map(({ id, time, at }) => ({
    id: Number(id),
    time: String(time ?? (at == null ? "" : new Date(Number(at)).toISOString())),
  }));
}

async function countElsewhere(
  connection: Connection,
  search: TextSearch,
  queries: readonly string[],
): Promise<number> {
  const project = search.scope?.project;
  if (project === undefined || queries.length === 0) return 0;
  const anyProject = { ...search, scope: undefined };
  const seqs = await matchingTexts(connection, anyProject, queries, "all", elsewhere.checked);
  const row = await connection
    .sql(`SELECT count(*) AS n FROM (SELECT 1 FROM {text_words} w JOIN {sessions} s ON s.sid = w.sid
      WHERE w.seq = ANY (?::bigint[]) AND w.part = 0 AND s.project <> ? AND s.deleted_at IS NULL LIMIT ?) found`)
    .get(seqs, project, elsewhere.counted);
  return Number(row?.["n"] ?? 0);
}
