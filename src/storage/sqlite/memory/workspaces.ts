import type { Activity, Reader, Workspace } from "../../../ports/memory/memory-store.ts";
import { decodeWorkspace, workspaceParameters, workspaceQuery } from "../../rows/memory-rows.ts";
import type { Connection } from "../connection/open-database.ts";
import { findLastEntry, readEntry } from "./documents/entries.ts";
import type { Place } from "./places.ts";
import { readLastEvents } from "./tasks/task-rows.ts";

export const readWorkspace = ({ sql }: Connection, name: string, reader: Reader): Workspace | undefined =>
  decodeWorkspace(name, sql(workspaceQuery).all(...workspaceParameters(name, reader)), reader);

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
