import type { Row } from "../../rows/row.ts";
import { type Connection, rememberIn } from "../connection/access.ts";
import { placedWords, placesOf } from "../connection/schema.ts";
import type { Value } from "../connection/statements.ts";
import { type SearchScope, textCondition } from "./search-scope.ts";
import { quoteLexeme } from "./vectors.ts";

export const idsOf = (rows: readonly Row[]): number[] => rows.map((row) => Number(row["id"]));

/** The newest texts in the scope, whatever they contain. */
export async function everyText({ sql }: Connection, scope: SearchScope, max: number): Promise<number[]> {
  const { where, values } = textCondition(scope);
  const newest = sql(`SELECT w.seq AS id FROM {text_words} w WHERE w.part = 0 AND ${where}
    ORDER BY id DESC LIMIT ?`);
  return idsOf(await newest.all(...values, max));
}

const anywhere = { where: "true", values: [] };

/**
 * The newest texts with these words, in the scope or in the whole tenant. A text in several pieces matches if the
 * pieces together contain all the words.
 */
export async function matchingTexts(
  connection: Connection,
  scope: SearchScope | undefined,
  queries: readonly string[],
  joint: "all" | "any",
  max: number,
): Promise<number[]> {
  if (max === 0 || queries.length === 0 || queries.includes("")) return [];
  const [whole, pieced] = await Promise.all([
    newestMatches(connection, scope, queries.join(joint === "all" ? " & " : " | "), max),
    joint === "all" && queries.length > 1 ? matchingPieces(connection, scope, queries, max) : [],
  ]);
  if (pieced.length === 0) return whole;
  return [...new Set([...whole, ...pieced])].sort((one, other) => other - one).slice(0, max);
}

async function matchingPieces(
  { sql }: Connection,
  scope: SearchScope | undefined,
  queries: readonly string[],
  max: number,
): Promise<number[]> {
  const { where, values } = scope ? textCondition(scope) : anywhere;
  const everywhere = queries.map(() => "bool_or(p.words @@ ?::tsquery)").join(" AND ");
  const newest = sql(`SELECT w.seq AS id FROM (SELECT p.seq, min(p.sid) AS sid FROM {text_words} p
    WHERE p.seq IN (SELECT m.seq FROM {text_words} m WHERE m.part > 0) GROUP BY p.seq HAVING ${everywhere}) w
    WHERE ${where} ORDER BY id DESC LIMIT ?`);
  return idsOf(await newest.all(...queries, ...values, max));
}

/** How many of the newest rows are read before the index is used. They show how common the words are. */
const looked = 1_024;
/** Searches a longer stretch than needed on average, because words are not spread evenly. */
const margin = 1.4;
/** The index compares each match with each place. If this many places are not enough, the whole tenant is searched. */
const mostPlaces = 4;

/**
 * The index finds all texts with a word, and each would have to be fetched to see which are the newest. So the query is
 * limited to the stretch of numbers that should contain enough of them (0191). A subquery with `OFFSET 0` is not merged
 * with the order and the limit around it, so the index is used regardless of the statistics.
 */
async function newestMatches(
  connection: Connection,
  scope: SearchScope | undefined,
  query: string,
  max: number,
): Promise<number[]> {
  const { sql, tenant } = connection;
  const { where, values } = scope ? textCondition(scope) : anywhere;
  const select = async (from: string, ...its: Value[]) =>
    idsOf(
      await sql(`SELECT DISTINCT f.id FROM (SELECT w.seq AS id FROM ${from} AND ${where} OFFSET 0) f
        ORDER BY f.id DESC LIMIT ?`).all(...its, ...values, max),
    );
  if (scope?.sids)
    return select(
      "{text_words} w WHERE w.sid = ANY (?::bigint[]) AND w.words @@ ?::tsquery",
      scope.sids,
      query,
    );
  const look = () =>
    select(
      "(SELECT * FROM {text_words} n ORDER BY n.seq DESC LIMIT ?) w WHERE w.words @@ ?::tsquery",
      looked,
      query,
    );
  const edge = await rememberIn(connection, "edge", () => findEdge(connection));
  if (!edge) return look();
  const { first, last } = edge;
  const spread = await rememberIn(connection, `${scope ? "" : "all "}${query}`, async () => {
    const found = await look();
    return { found, perMatch: (last - first + 1) / Math.max(found.length, 0.5) };
  });
  if (spread.found.length >= max) return spread.found.slice(0, max);
  for (;;) {
    const span = max * margin * spread.perMatch;
    const places = span > last ? undefined : placesOf(last - span, last, mostPlaces);
    const here = (places ?? [""]).map((place) => quoteLexeme(`${place}/${tenant}`)).join(" | ");
    // PostgreSQL assumes that each condition selects one text in 200. With one condition for both, it expected so many texts
    // that it read the numbers of all texts of the tenant as well.
    const newest = await select(
      `{text_words} w WHERE ${placedWords} @@ ?::tsquery AND ${placedWords} @@ ?::tsquery`,
      query,
      here,
    );
    if (newest.length >= max || !places) return newest;
    spread.perMatch = span / Math.max(newest.length, 0.5);
  }
}

/** The numbers of the newest rows that are read first. `undefined` if these are all rows. */
async function findEdge({ sql }: Connection): Promise<{ first: number; last: number } | undefined> {
  const row = await sql(`SELECT (SELECT seq FROM {text_words} w ORDER BY w.seq DESC LIMIT 1) AS last,
    (SELECT seq FROM {text_words} w ORDER BY w.seq DESC OFFSET ? LIMIT 1) AS first`).get(looked - 1);
  return row?.["first"] == null ? undefined : { first: Number(row["first"]), last: Number(row["last"]) };
}
