import type {
  IdQuery,
  LedgerStore,
  SessionPage,
  SessionQuery,
  TrashPage,
} from "../../../ports/ledger-store.ts";
import {
  decodeFirstAgents,
  decodeSession,
  firstThoughts,
  isAgent,
  sessionColumns,
} from "../../rows/ledger-rows.ts";
import { sessionFilters } from "../../rows/session-filters.ts";
import type { Connection } from "../connection/access.ts";
import type { Value } from "../connection/statements.ts";
import { matchWords } from "../search/vectors.ts";

/** The columns to sort by. Case is folded as in SQLite, for ASCII letters only. */
const sortColumns = {
  createdAt: "s.created_at",
  updatedAt: "s.updated_at",
  title: 'lower(s.title COLLATE "C")',
};

export async function selectSessions(
  { sql }: Connection,
  query: SessionQuery,
  now: Date,
): Promise<SessionPage> {
  const { where, values } = sessionConditions(query, now);
  const direction = query.sortOrder === "asc" ? "ASC" : "DESC";
  const order = [sortColumns[query.sortBy], "s.sid"].map((column) => `${column} ${direction}`).join(", ");
  const [total, rows] = await Promise.all([
    sql(`SELECT count(*) AS total FROM {sessions} s WHERE ${where}`).get(...values),
    sql(`SELECT ${sessionColumns} FROM {sessions} s WHERE ${where} ORDER BY ${order} LIMIT ? OFFSET ?`).all(
      ...values,
      query.limit,
      query.offset,
    ),
  ]);
  return {
    sessions: rows.map((row) => decodeSession(row, now).session),
    total: Number(total?.["total"] ?? 0),
  };
}

export async function selectFirstAgents(
  { sql }: Connection,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows =
    await sql(`SELECT s.id, (SELECT t.agent_id FROM {thoughts} t WHERE t.sid = s.sid AND t.position <= ?
      AND ${isAgent} ORDER BY t.position LIMIT 1) AS agent
    FROM {sessions} s WHERE s.id = ANY (?::text[])`).all(firstThoughts, ids);
  return decodeFirstAgents(rows);
}

/** Finds IDs by a range, so that PostgreSQL uses their index. All characters in IDs sort before `g`. */
export async function selectIdsByPrefix(
  { sql }: Connection,
  { project, prefix, limit }: Omit<IdQuery, "project"> & { project?: string },
): Promise<string[]> {
  const rows =
    await sql(`SELECT id FROM {sessions} s WHERE id >= ?1 AND id < ?2 AND (?3::text IS NULL OR project = ?3)
    AND deleted_at IS NULL ORDER BY updated_at DESC LIMIT ?4`).all(
      prefix,
      `${prefix}g`,
      project ?? null,
      limit,
    );
  return rows.map((row) => String(row["id"]));
}

export async function selectTrash(
  { sql }: Connection,
  { project, limit, offset }: Parameters<LedgerStore["listTrash"]>[0],
  now: Date,
): Promise<TrashPage> {
  const where = "s.deleted_at IS NOT NULL AND (?1::text IS NULL OR s.project = ?1)";
  const [total, rows] = await Promise.all([
    sql(`SELECT count(*) AS total FROM {sessions} s WHERE ${where}`).get(project ?? null),
    sql(`SELECT ${sessionColumns} FROM {sessions} s WHERE ${where}
      ORDER BY s.deleted_at DESC, s.sid DESC LIMIT ?2 OFFSET ?3`).all(project ?? null, limit, offset),
  ]);
  return {
    sessions: rows.map((row) => ({
      ...decodeSession(row, now).session,
      deletedAt: String(row["deleted_at"]),
    })),
    total: Number(total?.["total"] ?? 0),
  };
}

const sessionConditions = (query: SessionQuery, now: Date) =>
  sessionFilters<Value>(query, now, {
    carries: (tags, atLeast) => [
      "s.sid IN (SELECT sid FROM {session_tags} g WHERE tag = ANY (?::text[]) GROUP BY sid HAVING count(*) >= ?)",
      ...[tags, atLeast],
    ],
    matches(search) {
      const words = matchWords(search);
      return words === undefined ? ["false"] : ["s.words @@ ?::tsquery", words];
    },
    changed: (when, at) => [`s.updated_at ${when} ?`, at],
  });
