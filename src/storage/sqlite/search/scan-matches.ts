import { unpack } from "../../rows/row.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Row, SqlValue } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { type SearchScope, sessionCondition, textCondition, textTables } from "./search-scope.ts";

/** How many rows are checked before other work runs. Checking this many takes a few milliseconds. */
const [firstStride, longestStride] = [500, 4_000];
/** The maximum number of rows to sort at once, which takes a few milliseconds. */
const mostSorted = 10_000;

/** One stride: the matches among its rows, newest first, and where the next stride starts. */
type Stride = { ids: number[]; seen: number; oldest: number };

const yieldToOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Walks from newest to oldest until there are enough matches. Other calls wait for at most one stride, even if few rows
 * match.
 */
async function walk(
  read: WithConnection,
  max: number,
  wholeStride: boolean,
  select: (connection: Connection, before: number, count: number) => Stride,
): Promise<number[]> {
  const found: number[] = [];
  let before = Number.MAX_SAFE_INTEGER;
  let stride = Math.min(max, wholeStride ? longestStride : firstStride);
  while (found.length < max) {
    const { ids, seen, oldest } = await read((connection) => select(connection, before, stride));
    for (const id of ids) found.push(id);
    if (seen < stride) break;
    before = oldest;
    if (!wholeStride) stride = Math.min(Math.max(firstStride, stride * 2), longestStride);
    await yieldToOthers();
  }
  return found.slice(0, max);
}

const toStride = (row: Row | undefined): Stride => ({
  ids: toNumbers(row?.["ids"]).sort((one, other) => other - one),
  seen: Number(row?.["seen"] ?? 0),
  oldest: Number(row?.["oldest"] ?? 0),
});

/** Splits numbers that SQLite returns as one text. One row per number would cost several times as much. */
export const toNumbers = (list: unknown): number[] =>
  typeof list === "string" && list !== "" ? list.split(",").map(Number) : [];

/** The rows to check, newest first: a statement with the `id` column, and its parameters. */
type Rows = { select: string; bind(before: number, count: number): SqlValue[] };

/** Returns the newest texts in the scope that match an FTS5 expression. */
export function matchingTexts(
  read: WithConnection,
  scope: SearchScope,
  expression: string,
  max: number,
): Promise<number[]> {
  const places = placesInScope(scope);
  const wanted = places === undefined ? expression : `${placesOf(places)} AND (${expression})`;
  return scanTexts(read, scope, max, {
    select:
      "SELECT rowid AS id FROM text_words WHERE text_words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?",
    bind: (before, count) => [wanted, before, count],
  });
}

/**
 * Counts the texts that match an FTS5 expression, for each session in the scope. The keys are the sessions' numbers.
 */
export async function countTexts(
  read: WithConnection,
  scope: SearchScope,
  expression: string,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  const places = placesInScope(scope);
  if (places?.length === 0) return counts;
  const wanted = places === undefined ? expression : `${placesOf(places)} AND (${expression})`;
  const { where, values } = textCondition(scope);
  const counted = `SELECT group_concat(sid || ' ' || texts) AS rows, min(oldest) AS oldest, sum(seen) AS seen FROM (
    SELECT t.sid, count(CASE WHEN ${where} THEN 1 END) AS texts, min(w.id) AS oldest, count(*) AS seen
    FROM (SELECT rowid AS id FROM text_words WHERE text_words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?) w
    ${textTables(scope)} GROUP BY t.sid)`;
  for (let before = Number.MAX_SAFE_INTEGER; ; await yieldToOthers()) {
    const row = await read(({ sql }) => sql(counted).get(...values, wanted, before, longestStride));
    for (const [sid = 0, texts = 0] of unpack(row?.["rows"], 2))
      if (texts > 0) counts.set(sid, (counts.get(sid) ?? 0) + texts);
    if (Number(row?.["seen"] ?? 0) < longestStride) return counts;
    before = Number(row?.["oldest"]);
  }
}

/** Returns the newest texts in the scope, regardless of their words. */
export async function everyText(read: WithConnection, scope: SearchScope, max: number): Promise<number[]> {
  const { type, wid } = scope;
  const sids = await read((connection) => sidsToSort(connection, scope));
  const thoughts = sids
    ? "SELECT seq AS id FROM thoughts WHERE sid IN (SELECT value FROM json_each(?)) AND seq < ?"
    : `SELECT seq AS id FROM ${type === undefined ? "thoughts" : "typed_thoughts"} WHERE seq < ?`;
  const notes = wid === undefined ? "" : " UNION ALL SELECT seq FROM searchable_notes WHERE seq < ?";
  return scanTexts(read, scope, max, {
    select: `${thoughts}${notes} ORDER BY id DESC LIMIT ?`,
    bind: (before, count) => [
      ...(sids ? [JSON.stringify(sids)] : []),
      before,
      ...(wid === undefined ? [] : [before]),
      count,
    ],
  });
}

/**
 * Returns the sessions whose thoughts are sorted at each stride, or `undefined` if they have too many
 * thoughts. The scan then walks all thoughts.
 */
function sidsToSort({ sql }: Connection, { sids }: SearchScope): readonly number[] | undefined {
  if (sids === undefined) return undefined;
  const row = sql(`SELECT sum(thought_count) AS thoughts FROM sessions
    WHERE sid IN (SELECT value FROM json_each(?))`).get(JSON.stringify(sids));
  return Number(row?.["thoughts"] ?? 0) <= mostSorted ? sids : undefined;
}

function scanTexts(
  read: WithConnection,
  scope: SearchScope,
  max: number,
  { select, bind }: Rows,
): Promise<number[]> {
  if (placesInScope(scope)?.length === 0 || max === 0) return Promise.resolve([]);
  if (scope.whole) {
    const all = `SELECT group_concat(id) AS ids, min(id) AS oldest, count(*) AS seen FROM (${select})`;
    return walk(read, max, true, ({ sql }, before, count) => toStride(sql(all).get(...bind(before, count))));
  }
  const { where, values } = textCondition(scope);
  const fitting = `SELECT group_concat(CASE WHEN ${where} THEN w.id END) AS ids, min(w.id) AS oldest,
      count(*) AS seen FROM (${select}) w ${textTables(scope)}`;
  return walk(read, max, false, ({ sql }, before, count) =>
    toStride(sql(fitting).get(...values, ...bind(before, count))),
  );
}

/** Returns the newest sessions in the scope with a matching title, description or tag. */
export function matchingSessions(
  read: WithConnection,
  scope: SearchScope,
  expression: string,
  max: number,
): Promise<number[]> {
  if (!scope.headings || max === 0 || scope.sids?.length === 0) return Promise.resolve([]);
  const matches =
    "SELECT rowid AS id FROM session_words WHERE session_words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?";
  const { where, values } = sessionCondition(scope, "s.created_at");
  const few = scope.sids ? " AND w.id IN (SELECT value FROM json_each(?))" : "";
  const select = scope.whole
    ? `SELECT group_concat(id) AS ids, min(id) AS oldest, count(*) AS seen FROM (${matches})`
    : `SELECT group_concat(CASE WHEN ${where}${few} THEN w.id END) AS ids, min(w.id) AS oldest, count(*) AS seen
       FROM (${matches}) w LEFT JOIN sessions s ON s.sid = w.id`;
  const filters = scope.whole ? [] : scope.sids ? [...values, JSON.stringify(scope.sids)] : values;
  return walk(read, max, scope.whole, ({ sql }, before, count) =>
    toStride(sql(select).get(...filters, expression, before, count)),
  );
}

/** Returns the index's names for the places in the scope, or `undefined` if there are too many sessions. */
function placesInScope({ sids, wid }: SearchScope): string[] | undefined {
  if (sids === undefined) return undefined;
  return wid === undefined ? sids.map(placeOf) : [...sids.map(placeOf), "note"];
}

export const placeOf = (sid: number): string => `s${sid}`;

export const placesOf = (places: readonly string[]): string =>
  `place : (${places.map((place) => `"${place}"`).join(" OR ")})`;
