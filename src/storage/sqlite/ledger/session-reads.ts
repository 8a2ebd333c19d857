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
import type { SqlValue } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { matchWords } from "../search/words.ts";

/** Returns the ten-minute slot of an ISO time: its first 15 characters. */
const slotOf = (at: string): string => at.slice(0, 15);

/** An index orders updates by slot. The few rows within a slot are sorted when they are read. */
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
 * Names the index for a query that sorts by update and has no tags or words. Without the name, SQLite would
 * sort all rows in the project.
 */
function indexFor({ project, sortBy, tags = [], requiredTags = [], search }: SessionQuery): string {
  const isNarrow = tags.length > 0 || requiredTags.length > 0 || search !== undefined;
  return project === undefined || sortBy !== "updatedAt" || isNarrow ? "" : "INDEXED BY sessions_by_update";
}

export function selectFirstAgents({ sql }: Connection, ids: readonly string[]): Map<string, string> {
  const rows = sql(`SELECT s.id, (SELECT t.agent_id FROM thoughts t WHERE t.sid = s.sid AND t.position <= ?
      AND ${isAgent} ORDER BY t.position LIMIT 1) AS agent
    FROM json_each(?) j CROSS JOIN sessions s ON s.id = j.value`).all(firstThoughts, JSON.stringify(ids));
  return decodeFirstAgents(rows);
}

/** Selects IDs by range, so that SQLite uses the index on IDs. All characters in IDs sort before `g`. */
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

const sessionConditions = (query: SessionQuery, now: Date) =>
  sessionFilters<SqlValue>(query, now, {
    carries: (tags, atLeast) => [
      `s.sid IN (SELECT sid FROM session_tags WHERE tag IN (SELECT value FROM json_each(?))
         GROUP BY sid HAVING count(*) >= ?)`,
      ...[JSON.stringify(tags), atLeast],
    ],
    matches(search) {
      const words = matchWords(search, "prefix");
      return words === undefined
        ? ["0"]
        : ["s.sid IN (SELECT rowid FROM session_words WHERE session_words MATCH ?)", words];
    },
    changed: (when, at) => [
      `s.updated_slot ${when === "<" ? "<=" : ">="} ? AND s.updated_at ${when} ?`,
      ...[slotOf(at), at],
    ],
  });
