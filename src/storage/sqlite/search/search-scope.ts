import type { ScopeQuery } from "../../../ports/ledger-store.ts";
import { noteCondition } from "../../rows/search-rows.ts";
import type { SqlValue } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";

/** What a search covers. */
export type SearchScope = Pick<ScopeQuery, "project" | "tags" | "type" | "since" | "until"> & {
  /** The workspace whose notes are included. Undefined if notes are not searched. */
  wid: number | undefined;
  /** The few sessions whose thoughts are searched. Undefined if there are many such sessions. */
  sids: readonly number[] | undefined;
  /** Whether titles, descriptions and tags are searched. */
  headings: boolean;
  /** True if the scope includes everything that is indexed, so no row needs to be checked. */
  whole: boolean;
};

/** Up to this many sessions are listed in the query. If there are more, its matches are filtered instead. */
const fewSessions = 50;
/**
 * Listing a session in the query costs tens of microseconds. If most matches belong to other projects, listing this
 * many is still worthwhile.
 */
const fewOfProject = 400;
const smallShare = 1 / 8;
/**
 * If at least this share of everything indexed belongs to the project, checking each match costs less than
 * listing sessions.
 */
const largeShare = 1 / 2;

export function toSearchScope(connection: Connection, query: ScopeQuery): SearchScope {
  const { project, tags, type, since, until } = query;
  const byItself = query.sessionId !== undefined || type !== undefined || (tags ?? []).length > 0;
  const narrowed = byItself || since !== undefined || until !== undefined;
  const whole = !narrowed && holdsNothingElse(connection, project);
  const sids = whole ? undefined : (namedSids(connection, query) ?? sidsOfProject(connection, project));
  return {
    project,
    tags,
    type,
    since,
    until,
    wid: byItself ? undefined : findWid(connection, query.workspace),
    sids,
    headings: type === undefined,
    whole,
  };
}

/** Returns the session with this ID, or the sessions with these tags. */
function namedSids({ sql }: Connection, { sessionId, tags = [], project }: ScopeQuery): number[] | undefined {
  const parts = ["s.deleted_at IS NULL"];
  const values: SqlValue[] = [];
  if (project !== undefined) {
    parts.push("s.project = ?");
    values.push(project);
  }
  const where = parts.join(" AND ");
  if (sessionId !== undefined)
    return toSids(sql(`SELECT s.sid FROM sessions s WHERE s.id = ? AND ${where}`).all(sessionId, ...values));
  const [first] = tags;
  if (first === undefined) return undefined;
  const rows = sql(
    `SELECT s.sid FROM session_tags g JOIN sessions s ON s.sid = g.sid
     WHERE g.tag = ? AND ${where}${tags.slice(1).map(hasTag).join("")} LIMIT ?`,
  ).all(first, ...values, ...tags.slice(1), fewSessions + 1);
  return rows.length > fewSessions ? undefined : toSids(rows);
}

/**
 * Returns the sessions in a project, if there are few of them. If the project is a small part of the store,
 * more sessions are allowed.
 */
function sidsOfProject({ sql }: Connection, project: string | undefined): number[] | undefined {
  if (project === undefined) return undefined;
  const own = sql("SELECT sessions, thoughts FROM project_totals WHERE project = ?").get(project);
  const all = sql(`SELECT sum(thoughts) AS thoughts, (SELECT sum(notes) FROM note_totals) AS notes
    FROM project_totals`).get();
  const [thoughts, allThoughts] = [Number(own?.["thoughts"] ?? 0), Number(all?.["thoughts"] ?? 0)];
  if (thoughts > 0 && thoughts >= (allThoughts + Number(all?.["notes"] ?? 0)) * largeShare) return undefined;
  const isSmall = thoughts < allThoughts * smallShare;
  if (Number(own?.["sessions"] ?? 0) > (isSmall ? fewOfProject : fewSessions)) return undefined;
  return toSids(sql("SELECT sid FROM sessions WHERE project = ? AND deleted_at IS NULL").all(project));
}

const hasTag = () => " AND EXISTS (SELECT 1 FROM session_tags o WHERE o.tag = ? AND o.sid = s.sid)";
const toSids = (rows: readonly Record<string, SqlValue>[]) => rows.map((row) => Number(row["sid"]));

function findWid({ sql }: Connection, workspace: string | undefined): number | undefined {
  if (workspace === undefined) return undefined;
  const wid = sql("SELECT wid FROM memory_workspaces WHERE name = ?").get(workspace)?.["wid"];
  return typeof wid === "number" ? wid : undefined;
}

function holdsNothingElse({ sql }: Connection, project: string | undefined): boolean {
  const foreign = project === undefined ? "" : " OR (project <> ? AND sessions > 0)";
  const row = sql(
    `SELECT EXISTS (SELECT 1 FROM project_totals WHERE in_trash > 0${foreign})
       OR EXISTS (SELECT 1 FROM searchable_notes) AS others`,
  ).get(...(project === undefined ? [] : [project]));
  return row?.["others"] === 0;
}

/** A condition and its values, in the order of its placeholders. */
export type Condition = { where: string; values: SqlValue[] };

/** Returns the tables to join to `w`, whose `id` column is the seq of a text. */
export function textTables({ wid }: SearchScope): string {
  const thoughts = `LEFT JOIN thoughts t ON t.seq = w.id LEFT JOIN sessions s ON s.sid = t.sid`;
  if (wid === undefined) return thoughts;
  return `${thoughts} LEFT JOIN memory_entries e ON t.seq IS NULL AND e.seq = w.id
    LEFT JOIN memory_docs d ON d.doc = e.doc LEFT JOIN memory_branches b ON b.bid = e.bid`;
}

/** Returns the condition for texts in the scope. Requires the joins of `textTables`. */
export function textCondition(scope: SearchScope): Condition {
  const thoughts = sessionCondition(scope, "t.timestamp");
  if (scope.type !== undefined) {
    thoughts.where += " AND instr(t.cipher_types, ?) > 0";
    thoughts.values.push(scope.type);
  }
  if (scope.wid === undefined) return thoughts;
  const notes = noteCondition({ ...scope, wid: scope.wid }, (name) => name);
  return {
    where: `((${thoughts.where}) OR (${notes.where}))`,
    values: [...thoughts.values, ...notes.values],
  };
}

/** Returns the condition for sessions in the scope. `timeColumn` is compared with `since` and `until`. */
export function sessionCondition(
  { project, tags, since, until }: SearchScope,
  timeColumn: string,
): Condition {
  const parts = ["s.sid IS NOT NULL", "s.deleted_at IS NULL"];
  const values: SqlValue[] = [];
  const add = (part: string, value: SqlValue) => {
    parts.push(part);
    values.push(value);
  };
  if (project !== undefined) add("s.project = ?", project);
  for (const tag of tags ?? [])
    add("EXISTS (SELECT 1 FROM session_tags g WHERE g.tag = ? AND g.sid = s.sid)", tag);
  if (since !== undefined) add(`${timeColumn} >= ?`, since);
  if (until !== undefined) add(`${timeColumn} <= ?`, until);
  return { where: parts.join(" AND "), values };
}
