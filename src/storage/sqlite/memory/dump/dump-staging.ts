import { dumpTables } from "../../../../domain/memory/dump-tables.ts";
import type { WorkspaceLine } from "../../../../ports/memory/memory-dump.ts";
import type { Connection } from "../../connection/open-database.ts";
import { nextSeq } from "../../connection/sequence.ts";
import { findWorkspace, type Place } from "../places.ts";

/** No caller can name such a workspace, so nobody sees it while it is being filled, or when that was interrupted. */
export const stagingPrefix = "restoring:";

/** Rows of one transaction: a fraction of a second during which other writers wait. */
const rowsAtOnce = 5_000;

export const findStaged = (connection: Connection, name: string): Place | undefined =>
  findWorkspace(connection, stagingPrefix + name);

/** Call inside a write. */
export function stageWorkspace(
  { sql }: Connection,
  { name, created_at_ms, project_guard }: WorkspaceLine,
): void {
  sql("INSERT INTO memory_workspaces (name, project_guard, created_at_ms) VALUES (?, ?, ?)").run(
    stagingPrefix + name,
    project_guard ?? null,
    created_at_ms,
  );
}

/** Call inside a write. Answers why it cannot be shown; then it must be discarded. */
export function publishWorkspace(
  connection: Connection,
  { name, checkout }: WorkspaceLine,
): string | undefined {
  const { sql } = connection;
  if (findWorkspace(connection, name)) return "it was created while the restore went on";
  const place = findStaged(connection, name);
  if (!place) return "another restore has begun anew";
  const branch = sql(
    `SELECT bid FROM memory_branches WHERE wid = ? AND deleted_at_ms IS NULL ORDER BY uid <> ?, bid LIMIT 1`,
  ).get(place.wid, checkout);
  if (!branch) return "none of its branches came with it";
  sql("UPDATE memory_workspaces SET name = ?, checkout = ? WHERE wid = ?").run(
    name,
    branch["bid"] ?? null,
    place.wid,
  );
  return undefined;
}

const ofBranches = "bid IN (SELECT bid FROM memory_branches WHERE wid = ?)";
const ofDocs = "doc IN (SELECT doc FROM memory_docs WHERE wid = ?)";
/** In this order nothing is left that refers to what is gone. */
const steps = [
  ...Object.values(dumpTables).map(
    ({ table, of }) => `DELETE FROM ${table} WHERE ${of === "stream" ? ofBranches : "wid = ?"}`,
  ),
  ...["graph_facets", "memory_streams"].map((table) => `DELETE FROM ${table} WHERE ${ofBranches}`),
  inPieces(
    "memory_commits",
    `SELECT c.seq FROM memory_commits c JOIN memory_entries e ON e.seq = c.seq WHERE e.${ofDocs}`,
  ),
  inPieces("memory_entries", `SELECT seq FROM memory_entries WHERE ${ofDocs}`),
  inPieces("graph_versions", `SELECT seq FROM graph_versions WHERE ${ofDocs}`),
  ...["note_totals", "memory_branches", "memory_docs", "memory_workspaces"].map(
    (table) => `DELETE FROM ${table} WHERE wid = ?`,
  ),
];

function inPieces(table: string, rows: string): string {
  return `DELETE FROM ${table} WHERE seq IN (${rows} LIMIT ${rowsAtOnce})`;
}

/** Call inside a write, again and again until it answers true. */
export function discardPiece(connection: Connection, name: string): boolean {
  const place = findStaged(connection, name);
  if (!place) return true;
  // Numbers are never given out twice, those of entries that are discarded neither.
  nextSeq(connection);
  let left = rowsAtOnce;
  for (const step of steps) {
    left -= Number(connection.sql(step).run(place.wid).changes);
    if (left <= 0) return false;
  }
  return true;
}
