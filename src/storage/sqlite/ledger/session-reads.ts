import { abandonedBefore } from "../../../domain/ledger/session.ts";
import type {
  IdQuery,
  LedgerStore,
  SessionPage,
  SessionQuery,
  TrashPage,
} from "../../../ports/ledger-store.ts";
import { decodeSession, sessionColumns } from "../../rows/ledger-rows.ts";
import type { SqlValue } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { matchWords } from "../search/words.ts";

/** Ten minutes: the first characters of an ISO time. */
const slotOf = (at: string): string => at.slice(0, 15);

/** An index orders updates by slot. The few rows within a slot are sorted. */
const sortColumns = {
  createdAt: ["s.created_at"],
  updatedAt: ["s.updated_slot", "s.updated_at"],
  title: ["s.title COLLATE NOCASE"],
};

export function selectSessions({ sql }: Connection, query: SessionQuery, now: Date): SessionPage {
  const { where, values } = sessionConditions(query, now);
  const direction = query.sortOrder === "asc" ? "ASC" : "DESC";
  const order = [...sortColumns[query.sortBy], "s.sid"].map((column) => `${column} ${direction}`).join(", ");
  const total = sql(`SELECT count(*) AS total FROM sessions s WHERE ${where}`).get(...values);
  const rows = sql(`SELECT ${sessionColumns} FROM sessions s ${indexFor(query)} WHERE ${where}
    ORDER BY ${order} LIMIT ? OFFSET ?`).all(...values, query.limit, query.offset);
  return {
    sessions: rows.map((row) => decodeSession(row, now).session),
    total: Number(total?.["total"] ?? 0),
  };
}

/**
 * Without another filter, rows are read in order, slot by slot. On its own, SQLite would sort all rows in a project.
 */
function indexFor({ project, sortBy, tags = [], requiredTags = [], search }: SessionQuery): string {
  const isNarrow = tags.length > 0 || requiredTags.length > 0 || search !== undefined;
  return project === undefined || sortBy !== "updatedAt" || isNarrow ? "" : "INDEXED BY sessions_by_update";
}

/** Uses a range, so that SQLite uses the index on IDs. IDs only contain characters below `g`. */
export function selectIdsByPrefix({ sql }: Connection, { project, prefix, limit }: IdQuery): string[] {
  return sql(`SELECT id FROM sessions WHERE id >= ? AND id < ? AND project = ?
    AND deleted_at IS NULL ORDER BY updated_at DESC LIMIT ?`)
    .all(prefix, `${prefix}g`, project, limit)
    .map((row) => String(row["id"]));
}

export function selectTrash(
  { sql }: Connection,
  { project, limit, offset }: Parameters<LedgerStore["listTrash"]>[0],
  now: Date,
): TrashPage {
  const where = `s.deleted_at IS NOT NULL${project === undefined ? "" : " AND s.project = ?"}`;
  const values = project === undefined ? [] : [project];
  const total = sql(`SELECT count(*) AS total FROM sessions s WHERE ${where}`).get(...values);
  const rows = sql(`SELECT ${sessionColumns}, s.deleted_at FROM sessions s WHERE ${where}
    ORDER BY s.deleted_at DESC, s.sid DESC LIMIT ? OFFSET ?`).all(...values, limit, offset);
  return {
    sessions: rows.map((row) => ({
      ...decodeSession(row, now).session,
      deletedAt: String(row["deleted_at"]),
    })),
    total: Number(total?.["total"] ?? 0),
  };
}

type Conditions = { where: string; values: SqlValue[] };

function sessionConditions(query: SessionQuery, now: Date): Conditions {
  const { project, tags, tagMode, requiredTags, search, status } = query;
  const parts = ["s.deleted_at IS NULL"];
  const values: SqlValue[] = [];
  const add = (part: string, ...more: SqlValue[]) => {
    parts.push(part);
    values.push(...more);
  };
  if (project !== undefined) add("s.project = ?", project);
  const carries = (wanted: readonly string[], atLeast: number) =>
    add(
      `s.sid IN (SELECT sid FROM session_tags WHERE tag IN (SELECT value FROM json_each(?))
         GROUP BY sid HAVING count(*) >= ?)`,
      JSON.stringify(wanted),
      atLeast,
    );
  const chosen = [...new Set(tags)];
  if (chosen.length > 0) carries(chosen, tagMode === "all" ? chosen.length : 1);
  const required = [...new Set(requiredTags)];
  if (required.length > 0) carries(required, required.length);
  const words = search === undefined ? undefined : matchWords(search, "prefix");
  if (search !== undefined) {
    if (words === undefined) add("0");
    else add("s.sid IN (SELECT rowid FROM session_words WHERE session_words MATCH ?)", words);
  }
  if (status === "completed") add("s.status = 'completed'");
  const edge = abandonedBefore(now);
  if (status === "active")
    add("s.status = 'active' AND s.updated_slot >= ? AND s.updated_at >= ?", slotOf(edge), edge);
  if (status === "abandoned")
    add("s.status = 'active' AND s.updated_slot <= ? AND s.updated_at < ?", slotOf(edge), edge);
  return { where: parts.join(" AND "), values };
}
