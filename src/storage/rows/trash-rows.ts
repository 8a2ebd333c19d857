import type { EmptiedTrash, TrashedKind, TrashedThing } from "../../ports/upkeep.ts";
import { decodeNote } from "./ledger-rows.ts";
import type { Row } from "./row.ts";

/**
 * The tables with the rows of a session (by `sid`) and of a notebook (by `nid`). Each table comes after the
 * tables that refer to it.
 */
export const tablesOfSession = [
  ...["critiques", "thoughts", "branches", "session_tags", "session_changes", "remarks", "sessions"],
];
export const tablesOfNotebook = ["notebook_queues", "notebook_runs", "notebook_cells", "notebooks"];

/**
 * SQL that differs between databases. `of` returns the store's part of a table, and `day` converts a number
 * of milliseconds to an ISO time.
 */
type Dialect = { of(table: string): string; day(ms: string): string };

export function trashQueries({ of, day }: Dialect) {
  /** SQL: deleted notes without a live successor. A note that was replaced is also marked as deleted. */
  const deletedNotes = `FROM ${of("notes")} n WHERE n.deleted_at IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM ${of("notes")} live WHERE live.project = n.project AND live.kind = n.kind AND live.id = n.id
      AND live.deleted_at IS NULL)`;

  /**
   * SQL: the last version of each deleted note. Several versions can have the same time, so the one with the
   * highest number is the last.
   */
  const newestDeleted = `SELECT n.* FROM ${of("notes")} n
    WHERE n.nid IN (SELECT max(n.nid) ${deletedNotes} GROUP BY n.project, n.kind, n.id)
    ORDER BY n.project, n.kind, n.id`;

  const things = `
    SELECT 'session' AS kind, id, title, project AS place, deleted_at AS at FROM ${of("sessions")} s
      WHERE deleted_at IS NOT NULL
    UNION ALL SELECT n.kind, n.id, n.title, n.project, n.deleted_at FROM (${newestDeleted}) n
    UNION ALL SELECT 'notebook', id, title, project, ${day("deleted_at")} FROM ${of("notebooks")} b
      WHERE deleted_at IS NOT NULL
    UNION ALL SELECT 'branch', b.name, b.name, w.name, ${day("b.deleted_at_ms")} FROM ${of("memory_branches")} b
      JOIN ${of("memory_workspaces")} w ON w.wid = b.wid WHERE b.deleted_at_ms IS NOT NULL AND b.erased = 0`;

  return { deletedNotes, newestDeleted, things };
}

export const decodeThing = (row: Row): TrashedThing => ({
  kind: String(row["kind"]) as TrashedKind,
  id: String(row["id"]),
  title: String(row["title"]),
  place: String(row["place"]),
  deletedAt: String(row["at"]),
});

export const decodeTrashedNote = (row: Row) => ({
  project: String(row["project"]),
  note: decodeNote(row),
  deletedAt: String(row["deleted_at"]),
});

/** Erases rows one by one and returns the erased ones. `erase` returns false if a row was restored in the meantime. */
export async function eraseEach(
  rows: readonly Row[],
  erase: (row: Row) => Promise<boolean>,
): Promise<EmptiedTrash["sessions"]> {
  const erased = [];
  for (const row of rows)
    if (await erase(row)) erased.push({ id: String(row["id"]), project: String(row["project"]) });
  return erased;
}
