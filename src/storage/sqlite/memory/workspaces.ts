import type { Activity, Workspace } from "../../../ports/memory/memory-store.ts";
import type { Connection } from "../connection/open-database.ts";
import { findLastEntry, readEntry } from "./documents/entries.ts";
import type { Place } from "./places.ts";
import { readLastEvents } from "./tasks/task-rows.ts";

/** One statement: every call of the memory begins with it. */
export function readWorkspace({ sql }: Connection, name: string): Workspace | undefined {
  const row = sql(
    `SELECT b.name AS checkout, w.project_guard, w.project, f.target AS focus FROM memory_workspaces w
     JOIN memory_branches b ON b.bid = w.checkout LEFT JOIN memory_focus f ON f.wid = w.wid WHERE w.name = ?`,
  ).get(name);
  if (!row) return undefined;
  const textOf = (column: string) => (typeof row[column] === "string" ? row[column] : undefined);
  return {
    name,
    checkout: String(row["checkout"]),
    focus: textOf("focus"),
    projectGuard: textOf("project_guard"),
    project: textOf("project"),
  };
}

/** A bound, so that it costs the same however much was written. */
const newestWrites = 1_000;

export function listWorkspaces(
  { sql }: Connection,
  limit: number,
  among: readonly string[] | undefined,
): string[] {
  return sql(
    `WITH written AS (
       SELECT b.wid, e.seq FROM (SELECT seq, bid FROM memory_entries ORDER BY seq DESC LIMIT ${newestWrites}) e
         JOIN memory_branches b ON b.bid = e.bid
       UNION ALL SELECT wid, seq FROM (SELECT wid, seq FROM workspace_changes ORDER BY seq DESC LIMIT ${newestWrites})
     )
     SELECT w.name, max(written.seq) AS last FROM memory_workspaces w LEFT JOIN written ON written.wid = w.wid
     WHERE ?1 IS NULL OR w.name IN (SELECT value FROM json_each(?1))
     GROUP BY w.wid ORDER BY last DESC NULLS LAST, w.wid DESC LIMIT ?2`,
  )
    .all(among ? JSON.stringify(among) : null, limit)
    .map((row) => String(row["name"]));
}

export function readActivity(place: Place): Activity {
  const seq = findLastEntry(place);
  const last = seq === undefined ? undefined : readEntry(place, seq);
  return {
    lastTaskEvent: readLastEvents(place, undefined, 1)[0],
    lastEntry: last && {
      seq: last.seq,
      ts_ms: last.ts_ms,
      branch: last.branch,
      doc: last.doc,
      kind: last.kind,
    },
  };
}
