import { listed } from "../../../domain/search/measures.ts";
import type { TextPlace } from "../../../domain/search/source.ts";
import { type Row, unpack } from "../../rows/row.ts";
import { type Connection, rememberIn } from "../connection/access.ts";
import { placedWords, placesOf } from "../connection/later-schemas.ts";
import type { Value } from "../connection/statements.ts";
import { anywhere, type Condition, type SearchScope, textCondition } from "./search-scope.ts";
import { quoteLexeme } from "./vectors.ts";

/** The state of one search for texts. */
export type TextSearch = {
  /** The scope of the search. `undefined` for everything in the tenant. */
  scope: SearchScope | undefined;
  /** The words to search for. One statement searches for all of them. */
  words: readonly string[];
  /** The places of texts found so far. */
  places: Map<number, TextPlace>;
  /** Returns true if the scope includes everything in the tenant. */
  isWhole(connection: Connection): Promise<boolean>;
};

export const idsOf = (rows: readonly Row[]): number[] => rows.map((row) => Number(row["id"]));

/** Returns the newest texts in the scope, regardless of their words. */
export async function everyText({ sql }: Connection, scope: SearchScope, max: number): Promise<number[]> {
  const { where, values } = textCondition(scope);
  const newest = sql(`SELECT w.seq AS id FROM {text_words} w WHERE w.part = 0 AND ${where}
    ORDER BY id DESC LIMIT ?`);
  return idsOf(await newest.all(...values, max));
}

/**
 * Returns the newest texts that contain these words, in the scope or in the whole tenant. A text that is
 * split into parts matches if the parts together contain all the words.
 */
export async function matchingTexts(
  connection: Connection,
  search: TextSearch,
  queries: readonly string[],
  joint: "all" | "any",
  max: number,
): Promise<number[]> {
  if (max === 0 || queries.length === 0 || queries.includes("")) return [];
  const [whole, pieced] = await Promise.all([
    newestMatches(connection, search, queries, joint, max),
    joint === "all" && queries.length > 1 ? matchingPieces(connection, search.scope, queries, max) : [],
  ]);
  if (pieced.length === 0) return whole;
  return [...new Set([...whole, ...pieced])].sort((one, other) => other - one).slice(0, max);
}

/** Counts the texts that contain these words, for each session in the scope. The keys are the sessions' numbers. */
export async function countTexts(
  { sql, tenant }: Connection,
  scope: SearchScope,
  queries: readonly string[],
  joint: "all" | "any",
): Promise<Map<number, number>> {
  if (queries.length === 0 || queries.includes("")) return new Map();
  const { where, values } = textCondition(scope);
  const pieces =
    joint === "all" && queries.length > 1
      ? `UNION SELECT p.seq, min(p.sid) FROM {text_words} p
         WHERE p.seq IN (SELECT m.seq FROM {text_words} m WHERE m.part > 0) GROUP BY p.seq HAVING ${everywhere(queries)}`
      : "";
  const [matching, wanted]: [string, Value] = scope.sids
    ? ["w.sid = ANY (?::bigint[]) AND w.words @@ ?::tsquery", scope.sids]
    : [`${placedWords} @@ ?::tsquery AND ${placedWords} @@ ?::tsquery`, quoteLexeme(`/${tenant}`)];
  const row = await sql(`SELECT string_agg(concat_ws(' ', c.sid, c.texts), ',') AS counts FROM (
    SELECT w.sid, count(*) AS texts FROM (
      SELECT DISTINCT w.seq, w.sid FROM {text_words} w WHERE ${matching} ${pieces}) w
    WHERE w.sid IS NOT NULL AND ${where} GROUP BY w.sid) c`).get(
    wanted,
    queries.join(joint === "all" ? " & " : " | "),
    ...(pieces === "" ? [] : queries),
    ...values,
  );
  return new Map(Array.from(unpack(row?.["counts"], 2), ([sid = 0, texts = 0]) => [sid, texts]));
}

const everywhere = (queries: readonly string[]): string =>
  queries.map(() => "bool_or(p.words @@ ?::tsquery)").join(" AND ");

async function matchingPieces(
  { sql }: Connection,
  scope: SearchScope | undefined,
  queries: readonly string[],
  max: number,
): Promise<number[]> {
  const { where, values } = scope ? textCondition(scope) : anywhere;
  const newest = sql(`SELECT w.seq AS id FROM (SELECT p.seq, min(p.sid) AS sid FROM {text_words} p
    WHERE p.seq IN (SELECT m.seq FROM {text_words} m WHERE m.part > 0) GROUP BY p.seq HAVING ${everywhere(queries)}) w
    WHERE ${where} ORDER BY id DESC LIMIT ?`);
  return idsOf(await newest.all(...queries, ...values, max));
}

/** Returns an SQL expression: a bit mask of the queries that a row of words matches. */
export const maskOf = (row: string, queries: readonly string[]): string =>
  queries.map((_, n) => `((${row}.words @@ ?::tsquery)::int << ${n})`).join(" | ");

/** Selects a text's place, or zeros if it must be looked up, as for notes and older thoughts. */
export const packed = (row: string): string =>
  `coalesce(${row}.sid, 0), coalesce(${row}.position, 0), coalesce(${row}.size, 0)`;

export function notePlace(places: TextSearch["places"], place: TextPlace & { sid: number }): void {
  if (place.sid > 0 && place.position > 0) places.set(place.seq, place);
}

/** The number of the newest rows to read before the index is used. They show how common the words are. */
const looked = 1_024;
/** The factor by which a searched stretch is longer than needed on average, because words are spread unevenly. */
const margin = 1.4;
/** The maximum number of places in one query. If more are needed, the query searches the whole tenant. */
const mostPlaces = 4;

/**
 * The newest texts with a word. `upTo` is the maximum number of newest texts that `ids` can supply. It is
 * infinite if everything was searched.
 */
type Newest = { ids: number[]; upTo: number; last: number; perMatch: number };

/**
 * Finds the newest matches. The index returns all texts with a word, and each would have to be fetched to see which are
 * the newest. The query is therefore limited to a stretch of numbers that should contain enough (0191). A subquery with
 * `OFFSET 0` is not merged with the order and the limit around it, so the index is used regardless of the statistics.
 */
async function newestMatches(
  connection: Connection,
  search: TextSearch,
  queries: readonly string[],
  joint: "all" | "any",
  max: number,
): Promise<number[]> {
  const { scope } = search;
  const query = queries.join(joint === "all" ? " & " : " | ");
  if (scope?.sids) {
    const inSessions = "{text_words} w WHERE w.sid = ANY (?::bigint[]) AND w.words @@ ?::tsquery";
    return selectNewest(connection, search, textCondition(scope), inSessions, [scope.sids, query], max);
  }
  const newest = await rememberIn(connection, `${scope ? "" : "all "}${query}`, () =>
    joint === "all" && queries.every((one) => search.words.includes(one))
      ? lookFor(connection, search, search.words, queries)
      : lookFor(connection, search, [query], [query]),
  );
  if (newest.upTo >= max) return newest.ids.slice(0, max);
  // If a word is rare, ranking asks for a longer list later, so the longer list is read right away.
  const isRare = max === listed.first && newest.last / newest.perMatch < listed.rareUpTo;
  const wanted = isRare ? listed.more : max;
  const condition = scope && !(await search.isWhole(connection)) ? textCondition(scope) : anywhere;
  for (;;) {
    const span = wanted * margin * newest.perMatch;
    const places = span > newest.last ? undefined : placesOf(newest.last - span, newest.last, mostPlaces);
    const here = (places ?? [""]).map((place) => quoteLexeme(`${place}/${connection.tenant}`)).join(" | ");
    // PostgreSQL assumes that each condition selects one text in 200. If both were one condition, it would expect so
    // many texts that it would also read the numbers of all the tenant's texts.
    const inPlaces = `{text_words} w WHERE ${placedWords} @@ ?::tsquery AND ${placedWords} @@ ?::tsquery`;
    newest.ids = await selectNewest(connection, search, condition, inPlaces, [query, here], wanted);
    const isComplete = places === undefined && newest.ids.length < wanted;
    newest.upTo = isComplete ? Number.POSITIVE_INFINITY : newest.ids.length;
    if (newest.upTo >= wanted) return newest.ids.slice(0, max);
    newest.perMatch = span / Math.max(newest.ids.length, 0.5);
  }
}

async function selectNewest(
  { sql }: Connection,
  { places }: TextSearch,
  { where, values }: Condition,
  from: string,
  wanted: Value[],
  max: number,
): Promise<number[]> {
  const row = await sql(`SELECT string_agg(concat_ws(' ', n.seq, ${packed("n")}), ',') AS texts FROM (
    SELECT DISTINCT f.seq, f.sid, f.position, f.size FROM (
      SELECT w.seq, w.sid, w.position, w.size FROM ${from} AND ${where} OFFSET 0) f
    ORDER BY f.seq DESC LIMIT ?) n`).get(...wanted, ...values, max);
  const ids: number[] = [];
  for (const [seq = 0, sid = 0, position = 0, size = 0] of unpack(row?.["texts"], 4)) {
    notePlace(places, { seq, sid, position, size });
    ids.push(seq);
  }
  return ids;
}

/** Looks for words among the newest rows. Runs only one statement for all queries in a transaction. */
async function lookFor(
  connection: Connection,
  search: TextSearch,
  words: readonly string[],
  queries: readonly string[],
): Promise<Newest> {
  const name = `look ${search.scope ? "" : "all "}${words.join(" ")}`;
  const { texts, first, last, isAll } = await rememberIn(connection, name, () =>
    look(connection, search, words),
  );
  const wanted = queries.reduce((mask, query) => mask | (1 << words.indexOf(query)), 0);
  const ids = new Set<number>();
  for (const { seq, mask } of texts) if ((mask & wanted) === wanted) ids.add(seq);
  return {
    ids: [...ids],
    upTo: isAll ? Number.POSITIVE_INFINITY : ids.size,
    last,
    perMatch: (last - first + 1) / Math.max(ids.size, 0.5),
  };
}

async function look({ sql }: Connection, { scope, places }: TextSearch, words: readonly string[]) {
  const { where, values } = scope ? textCondition(scope) : anywhere;
  const row = await sql(`SELECT max(w.seq) AS last, min(w.seq) AS first, count(*) AS seen,
      string_agg(concat_ws(' ', w.seq, w.mask, ${packed("w")}), ',') FILTER (WHERE w.mask > 0 AND ${where}) AS texts
    FROM (SELECT n.seq, n.sid, n.position, n.size, ${maskOf("n", words)} AS mask FROM {text_words} n
      ORDER BY n.seq DESC LIMIT ?) w`).get(...values, ...words, looked);
  const texts: { seq: number; mask: number }[] = [];
  for (const [seq = 0, mask = 0, sid = 0, position = 0, size = 0] of unpack(row?.["texts"], 5)) {
    notePlace(places, { seq, sid, position, size });
    texts.push({ seq, mask });
  }
  const [first, last] = [Number(row?.["first"] ?? 0), Number(row?.["last"] ?? 0)];
  return { texts, first, last, isAll: Number(row?.["seen"] ?? 0) < looked };
}
