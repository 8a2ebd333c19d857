import type { Term } from "../../../domain/search/question.ts";
import type { SearchQuery } from "../../../ports/ledger-store.ts";
import type { Extent, SearchSource, SessionFacts, TextPlace, Timed } from "../../../ports/search.ts";
import type { Row } from "../../rows/row.ts";
import type { Connection, WithConnection } from "../connection/access.ts";
import { everyText, idsOf, matchingTexts } from "./matching-texts.ts";
import { type SearchScope, sessionCondition, textCondition, toSearchScope } from "./search-scope.ts";
import { noteText, selectPart, selectShown } from "./shown-hits.ts";
import { toQuery } from "./vectors.ts";

/** The beginning of a text is enough to find words that are close together. A mebibyte would take too long. */
const longestRead = 32_768;
/** How many texts per session are searched for a word. */
const maxOfSession = 200;

const queryOf = ({ wanted }: Term): string => toQuery(wanted);

/** Answers the questions of a search with the word index and the tables beside it. */
export async function openPostgresSource(
  read: WithConnection,
  query: SearchQuery,
  now: Date,
): Promise<SearchSource> {
  const scope = await read((connection) => toSearchScope(connection, query));
  const texts = (words: readonly Term[], joint: "all" | "any", max: number) =>
    read((connection) => matchingTexts(connection, scope, words.map(queryOf), joint, max));
  const headings = (words: readonly Term[], joint: "all" | "any", max: number) =>
    read((connection) => matchingSessions(connection, scope, words.map(queryOf), joint, max));
  return {
    extent: () => read((connection) => measureScope(connection, scope)),
    async newest(word, max) {
      const [found, called] = await Promise.all([
        texts([word], "all", max.texts),
        headings([word], "all", max.headings),
      ]);
      return { texts: found, headings: called };
    },
    both: (one, other, max) => texts([one, other], "all", max),
    places: (seqs) => read((connection) => selectPlaces(connection, scope, seqs)),
    sessions: (sids) => read((connection) => selectFacts(connection, sids)),
    within: (sids, word) => read((connection) => selectWithin(connection, scope, sids, queryOf(word))),
    async holding(words, joint, max) {
      const [found, called] = await Promise.all([
        texts(words, joint, max.texts),
        headings(words, joint, max.headings),
      ]);
      return { texts: found, headings: called };
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
    elsewhere: (words) => read((connection) => countElsewhere(connection, scope, words.map(queryOf))),
    show: (hits, length) => read((connection) => selectShown(connection, hits, length, now)),
    part: (seq, from, length) => read((connection) => selectPart(connection, seq, from, length)),
    texts: (seqs, sids) =>
      read(async (connection) => {
        const [found, called] = await Promise.all([
          readBeginnings(connection, seqs),
          readHeadings(connection, sids),
        ]);
        return { texts: found, headings: called };
      }),
  };
}

/** The newest sessions in the scope with a matching title, description or tag. */
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

/** Counts what is searched. `first` is the first seq in the oldest session, `last` the last seq in the newest. */
async function measureScope({ sql }: Connection, { project, sids, wid }: SearchScope): Promise<Extent> {
  const { where, values } =
    sids === undefined
      ? sessionCondition({ project, tags: [] }, "")
      : { where: "s.sid = ANY (?::bigint[])", values: [sids] };
  const isWhole = sids === undefined && project === undefined;
  const [totals, notes, ends] = await Promise.all([
    sql(`SELECT count(*) AS sessions, coalesce(sum(thought_count), 0) AS thoughts, min(sid) AS oldest, max(sid) AS newest
      FROM {sessions} s WHERE ${where}`).get(...values),
    wid === undefined
      ? undefined
      : sql(`SELECT count(*) AS notes FROM {memory_branches} b JOIN {memory_entries} e ON e.bid = b.bid
          WHERE b.wid = ? AND b.deleted_at_ms IS NULL AND e.kind = 'note' AND e.origin = e.seq`).get(wid),
    isWhole ? sql("SELECT min(seq) AS first, max(seq) AS last FROM {thoughts} t").get() : undefined,
  ]);
  const edges = isWhole
    ? ends
    : await sql(`SELECT (SELECT seq FROM {thoughts} t WHERE sid = ? ORDER BY position LIMIT 1) AS first,
          (SELECT seq FROM {thoughts} t WHERE sid = ? ORDER BY position DESC LIMIT 1) AS last`).get(
        totals?.["oldest"] ?? 0,
        totals?.["newest"] ?? 0,
      );
  const besides = Number(notes?.["notes"] ?? 0);
  return {
    texts: Number(totals?.["thoughts"] ?? 0) + besides,
    sessions: Number(totals?.["sessions"] ?? 0) + besides,
    first: Number(edges?.["first"] ?? 0),
    last: Number(edges?.["last"] ?? 0),
  };
}

/** The columns are passed as one text, because thousands of rows take longer to read than to find. */
const placeColumns = "concat_ws(' ', t.seq, t.sid, t.position, octet_length(t.thought))";

const toPlaces = (row: Row | undefined): TextPlace[] =>
  row?.["places"] == null ? [] : String(row["places"]).split(",").map(toPlace);

function toPlace(packed: string): TextPlace {
  const [seq = 0, sid = 0, position = 0, size = 0] = packed.split(" ").map(Number);
  return { seq, sid, position, size };
}

async function selectPlaces(
  { sql }: Connection,
  { wid }: SearchScope,
  seqs: readonly number[],
): Promise<TextPlace[]> {
  const [thoughts, notes] = await Promise.all([
    sql(`SELECT string_agg(${placeColumns}, ',') AS places FROM {thoughts} t
      WHERE t.seq = ANY (?::bigint[])`).get(seqs),
    wid === undefined
      ? []
      : sql(`SELECT seq, octet_length(content) AS size, ts_ms FROM {memory_entries} e
          WHERE seq = ANY (?::bigint[])`).all(seqs),
  ]);
  return [
    ...toPlaces(thoughts),
    ...notes.map((row) => ({
      seq: Number(row["seq"]),
      sid: undefined,
      position: 1,
      size: Number(row["size"]),
      created: new Date(Number(row["ts_ms"])).toISOString(),
    })),
  ];
}

async function selectFacts({ sql }: Connection, sids: readonly number[]): Promise<SessionFacts[]> {
  const rows = await sql(`SELECT sid, thought_count, substr(created_at, 1, 10) AS created FROM {sessions} s
    WHERE sid = ANY (?::bigint[]) AND deleted_at IS NULL`).all(sids);
  return rows.map((row) => ({
    sid: Number(row["sid"]),
    texts: Number(row["thought_count"]),
    created: String(row["created"]),
  }));
}

/**
 * Searches all sessions at once. If the limit is reached, searches them one by one, so that a long session leaves room
 * for the others.
 */
async function selectWithin(
  connection: Connection,
  scope: SearchScope,
  sids: readonly number[],
  query: string,
): Promise<TextPlace[]> {
  const found = await matchWithin(connection, scope, sids, query, maxOfSession * sids.length);
  if (sids.length <= 1 || found.length < maxOfSession * sids.length) return found;
  const each = await Promise.all(
    sids.map((sid) => matchWithin(connection, scope, [sid], query, maxOfSession)),
  );
  return each.flat();
}

async function matchWithin(
  { sql }: Connection,
  scope: SearchScope,
  sids: readonly number[],
  query: string,
  max: number,
): Promise<TextPlace[]> {
  if (sids.length === 0 || query === "") return [];
  const { type, since, until } = scope;
  const ofSessions = sessionCondition({ ...scope, since: undefined, until: undefined }, "");
  // Sessions are checked once, and texts only if a filter is about texts.
  const ofTexts =
    (type ?? since ?? until) === undefined ? { where: "true", values: [] } : textCondition(scope);
  const found =
    await sql(`SELECT string_agg(f.place, ',') AS places FROM (SELECT DISTINCT m.seq, m.sid FROM {text_words} m
      WHERE m.sid = ANY (ARRAY(SELECT s.sid FROM {sessions} s WHERE s.sid = ANY (?::bigint[]) AND ${ofSessions.where}))
      AND m.words @@ ?::tsquery ORDER BY m.seq DESC LIMIT ?) w
    JOIN LATERAL (SELECT ${placeColumns} AS place FROM {thoughts} t WHERE t.seq = w.seq OFFSET 0) f ON true
    WHERE ${ofTexts.where}`).get(sids, ...ofSessions.values, query, max, ...ofTexts.values);
  return toPlaces(found);
}

async function readBeginnings({ sql }: Connection, seqs: readonly number[]) {
  const rows =
    await sql(`SELECT seq, substr(thought, 1, ?2) AS text FROM {thoughts} t WHERE seq = ANY (?1::bigint[])
    UNION ALL SELECT seq, substr(${noteText}, 1, ?2) FROM {memory_entries} e WHERE seq = ANY (?1::bigint[])`).all(
      seqs,
      longestRead,
    );
  const bySeq = new Map(rows.map((row) => [Number(row["seq"]), String(row["text"])]));
  return seqs.flatMap((seq) => {
    const text = bySeq.get(seq);
    return text === undefined ? [] : [{ seq, text }];
  });
}

async function readHeadings({ sql }: Connection, sids: readonly number[]) {
  const rows = await sql(`SELECT sid, title, coalesce(description, '') AS description, tags FROM {sessions} s
    WHERE sid = ANY (?::bigint[])`).all(sids);
  return rows.map((row) => ({
    sid: Number(row["sid"]),
    title: String(row["title"]),
    description: String(row["description"]),
    tags: String(row["tags"]),
  }));
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

/** How many matches are checked, and how many are counted at most. This is only a hint and must cost almost nothing. */
const [lookedAt, maxCounted] = [2_000, 100];

async function countElsewhere(
  connection: Connection,
  { project }: SearchScope,
  queries: readonly string[],
): Promise<number> {
  if (project === undefined || queries.length === 0) return 0;
  const seqs = await matchingTexts(connection, undefined, queries, "all", lookedAt);
  const row = await connection
    .sql(`SELECT count(*) AS n FROM (SELECT 1 FROM {text_words} w JOIN {sessions} s ON s.sid = w.sid
      WHERE w.seq = ANY (?::bigint[]) AND w.part = 0 AND s.project <> ? AND s.deleted_at IS NULL LIMIT ?) found`)
    .get(seqs, project, maxCounted);
  return Number(row?.["n"] ?? 0);
}
