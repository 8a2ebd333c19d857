import type { WorkspaceEntry } from "../../../ports/feed.ts";
import type { MemoryChange } from "../../../ports/memory/memory-events.ts";
import { changeOf } from "../../../ports/memory/memory-events.ts";
import type { MemoryStep } from "../../../ports/memory/steps.ts";
import type { Row } from "../connection/driver.ts";
import { parseColumn } from "../connection/json-column.ts";
import type { Connection } from "../connection/open-database.ts";
import { currentSeq, nextSeq } from "../connection/sequence.ts";
import type { Place } from "./places.ts";

/**
 * Call inside a write, before its first step. What a step changed takes the last number that the step has used, or one
 * of its own: the feed is then in the order of the writes, and each of its numbers stands for one change.
 */
export function beginChanges(connection: Connection, at: Date) {
  const recorded: WorkspaceEntry[] = [];
  let reached = currentSeq(connection);

  function record(place: Place, change: MemoryChange): void {
    const last = currentSeq(connection);
    reached = last > reached ? last : nextSeq(connection);
    recorded.push(insertChange(place, reached, change, at));
  }

  return {
    record,
    recordStep(place: Place, step: MemoryStep, outcome: unknown): void {
      const change = changeOf(step, outcome);
      if (change) record(place, change);
    },
    recorded: (): readonly WorkspaceEntry[] => recorded,
  };
}

function insertChange(
  { connection, wid, workspace }: Place,
  seq: number,
  change: MemoryChange,
  at: Date,
): WorkspaceEntry {
  connection
    .sql("INSERT INTO workspace_changes (seq, wid, type, data, ts_ms) VALUES (?, ?, ?, ?, ?)")
    .run(seq, wid, change.type, JSON.stringify(change.data), at.getTime());
  return { seq, workspace, kind: "memory", at: at.toISOString(), change };
}

/** Those after `after`, in order. */
export function selectChanges({ sql }: Connection, after: number, limit: number): WorkspaceEntry[] {
  return sql(`SELECT c.seq, c.type, c.data, c.ts_ms, w.name FROM workspace_changes c
    JOIN memory_workspaces w ON w.wid = c.wid WHERE c.seq > ? ORDER BY c.seq LIMIT ?`)
    .all(after, limit)
    .map(decodeChange);
}

function decodeChange(row: Row): WorkspaceEntry {
  return {
    seq: Number(row["seq"]),
    workspace: String(row["name"]),
    kind: "memory",
    at: new Date(Number(row["ts_ms"])).toISOString(),
    change: { type: String(row["type"]), data: parseColumn(row["data"]) } as MemoryChange,
  };
}
