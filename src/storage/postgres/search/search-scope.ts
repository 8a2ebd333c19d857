import type { ScopeQuery } from "../../../ports/ledger-store.ts";
import { unpack } from "../../rows/row.ts";
import { noteCondition } from "../../rows/search-rows.ts";
import type { Connection } from "../connection/access.ts";
import type { Value } from "../connection/statements.ts";

/** What a search covers. */
export type SearchScope = Pick<ScopeQuery, "project" | "tags" | "type" | "since" | "until"> & {
  /** The workspace whose notes are included. Undefined if notes are not searched. */
  wid: number | undefined;
  /** The few sessions that are selected by an ID or by tags. Undefined if there are many such sessions. */
  sids: readonly number[] | undefined;
  /** True if titles, descriptions and tags are searched. */
  headings: boolean;
};

/** The maximum number of sessions to list in `sids`. If there are more, the whole project is counted. */
const fewSessions = 50;

export async function toSearchScope(connection: Connection, query: ScopeQuery): Promise<SearchScope> {
  const { project, tags, type, since, until } = query;
  const byItself = query.sessionId !== undefined || type !== undefined || (tags ?? []).length > 0;
  const [wid, sids] = await Promise.all([
    byItself ? undefined : findWid(connection, query.workspace),
    namedSids(connection, query),
  ]);
  return { project, tags, type, since, until, wid, sids, headings: type === undefined };
}

/** Returns sessions by ID or tags. `undefined` if neither is given or too many sessions match. */
async function namedSids(
  { sql }: Connection,
  { sessionId, tags = [], project }: ScopeQuery,
): Promise<number[] | undefined> {
  if (sessionId === undefined && tags.length === 0) return undefined;
  const { where, values } = sessionCondition({ project, tags: sessionId === undefined ? tags : [] }, "");
  const named = sessionId === undefined ? "" : " AND s.id = ?";
  const rows = await sql(`SELECT s.sid FROM {sessions} s WHERE ${where}${named} LIMIT ?`).all(
    ...values,
    ...(sessionId === undefined ? [] : [sessionId]),
    fewSessions + 1,
  );
  return rows.length > fewSessions ? undefined : rows.map((row) => Number(row["sid"]));
}

async function findWid({ sql }: Connection, workspace: string | undefined): Promise<number | undefined> {
  if (workspace === undefined) return undefined;
  const row = await sql("SELECT wid FROM {memory_workspaces} w WHERE name = ?").get(workspace);
  return row && Number(row["wid"]);
}

/**
 * The size of a project or the tenant. `others` counts deleted sessions and the sessions of other projects,
 * plus one if there are notes.
 */
type Totals = { sessions: number; thoughts: number; others: number; first: number; last: number };

/** Returns a function that counts sessions. It counts again only if a server has written since the last search. */
export function createTotals() {
  const known = new Map<string | undefined, { version: number; totals: Totals }>();
  return async ({ sql }: Connection, project: string | undefined): Promise<Totals> => {
    const last = known.get(project);
    const row = await sql(project === undefined ? totalsOfAll : totalsOfProject).get(
      ...[last?.version ?? -1, ...(project === undefined ? [] : [project])],
    );
    if (last && row?.["totals"] === null) return last.totals;
    const [counted = []] = unpack(row?.["totals"], 5);
    const [sessions = 0, thoughts = 0, others = 0, first = 0, end = 0] = counted;
    const totals = { sessions, thoughts, others, first, last: end };
    if (known.size >= fewSessions) known.clear();
    if (row) known.set(project, { version: Number(row["version"]), totals });
    return totals;
  };
}

const totalsOf = (isInside: string, first: string, last: string): string =>
  `SELECT t.version, CASE WHEN t.version = ?1 THEN NULL ELSE (
    SELECT concat_ws(' ', a.sessions, a.thoughts, a.others + (SELECT count(*) FROM (SELECT 1 FROM {text_words} n
        WHERE n.sid IS NULL LIMIT 1) noted), coalesce((${first}), 0), coalesce((${last}), 0))
    FROM (SELECT count(*) FILTER (WHERE ${isInside}) AS sessions,
        coalesce(sum(s.thought_count) FILTER (WHERE ${isInside}), 0) AS thoughts,
        count(*) FILTER (WHERE NOT (${isInside})) AS others,
        min(s.sid) FILTER (WHERE ${isInside}) AS oldest, max(s.sid) FILTER (WHERE ${isInside}) AS newest
      FROM {sessions} s) a) END AS totals
  FROM {tenants} t`;
const totalsOfAll = totalsOf(
  "s.deleted_at IS NULL",
  "SELECT min(o.seq) FROM {thoughts} o",
  "SELECT max(o.seq) FROM {thoughts} o",
);
export const edgeOf = (sid: string, order: string) =>
  `SELECT o.seq FROM {thoughts} o WHERE o.sid = ${sid} ORDER BY o.position ${order} LIMIT 1`;
const totalsOfProject = totalsOf(
  "s.deleted_at IS NULL AND s.project = ?2",
  edgeOf("a.oldest", "ASC"),
  edgeOf("a.newest", "DESC"),
);

/** A condition and its values, in the order of its placeholders. */
export type Condition = { where: string; values: Value[] };

export const anywhere: Condition = { where: "true", values: [] };

type Filters = Pick<SearchScope, "project" | "tags"> & Partial<Pick<SearchScope, "since" | "until" | "sids">>;

/** Returns a condition for sessions `s` in the scope. Compares times with the given column. */
export function sessionCondition(
  { project, tags, since, until, sids }: Filters,
  timeColumn: string,
): Condition {
  const parts = ["s.deleted_at IS NULL"];
  const values: Value[] = [];
  const add = (part: string, value: Value) => {
    parts.push(part);
    values.push(value);
  };
  if (project !== undefined) add("s.project = ?", project);
  if (sids) add("s.sid = ANY (?::bigint[])", sids);
  for (const tag of tags ?? [])
    add("EXISTS (SELECT 1 FROM {session_tags} g WHERE g.tag = ? AND g.sid = s.sid)", tag);
  if (since !== undefined) add(`${timeColumn} >= ?`, since);
  if (until !== undefined) add(`${timeColumn} <= ?`, until);
  return { where: parts.join(" AND "), values };
}

/** Returns a condition for texts in the scope. `w` contains a text's seq and, for a thought, its session. */
export function textCondition(scope: SearchScope): Condition {
  const { type, since, until } = scope;
  const ofSession = sessionCondition({ ...scope, since: undefined, until: undefined }, "");
  // A subquery checks the session of each text found. A join could be planned to start with all sessions.
  const thoughts: Condition = {
    where: `(SELECT ${ofSession.where} FROM {sessions} s WHERE s.sid = w.sid)`,
    values: ofSession.values,
  };
  if (scope.sids) {
    thoughts.where += " AND w.sid = ANY (?::bigint[])";
    thoughts.values.push(scope.sids);
  }
  const own: string[] = [];
  const add = (part: string, value: Value) => {
    own.push(part);
    thoughts.values.push(value);
  };
  if (type !== undefined) add("strpos(t.cipher_types, ?) > 0", type);
  if (since !== undefined) add("t.timestamp >= ?", since);
  if (until !== undefined) add("t.timestamp <= ?", until);
  if (own.length > 0)
    thoughts.where += ` AND EXISTS (SELECT 1 FROM {thoughts} t WHERE t.seq = w.seq AND ${own.join(" AND ")})`;
  if (scope.wid === undefined) return thoughts;
  const notes = noteCondition({ ...scope, wid: scope.wid }, (name) => `{${name}}`);
  return {
    where: `((${thoughts.where}) OR (w.sid IS NULL AND EXISTS (SELECT 1 FROM {memory_entries} e
      JOIN {memory_docs} d ON d.doc = e.doc JOIN {memory_branches} b ON b.bid = e.bid
      WHERE e.seq = w.seq AND ${notes.where})))`,
    values: [...thoughts.values, ...notes.values],
  };
}
