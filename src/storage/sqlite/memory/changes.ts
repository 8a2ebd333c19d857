import type { EntryKind } from "../../../domain/memory/entry.ts";
import type { MemoryChange } from "../../../domain/memory/steps/changes.ts";
import type { WorkspaceEntry } from "../../../ports/feed.ts";
import { parseColumn } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";

type Appended = Extract<MemoryChange, { type: "note_committed" }>;

const toEntry = (workspace: string, seq: number, change: MemoryChange, at: Date): WorkspaceEntry => ({
  seq,
  workspace,
  kind: "memory",
  at: at.toISOString(),
  change,
});

/** Changes after `after` and up to `upTo`, in order. */
export function selectChanges(
  connection: Connection,
  after: number,
  upTo: number,
  limit: number,
): WorkspaceEntry[] {
  const others = selectOthers(connection, after, upTo, limit);
  const last = others.length < limit ? upTo : (others.at(-1)?.seq ?? upTo);
  return [...others, ...selectAppended(connection, after, last, limit)]
    .sort((one, other) => one.seq - other.seq)
    .slice(0, limit);
}

function selectOthers({ sql }: Connection, after: number, upTo: number, limit: number): WorkspaceEntry[] {
  return sql(`SELECT c.seq, c.type, c.data, c.ts_ms, w.name FROM workspace_changes c
    JOIN memory_workspaces w ON w.wid = c.wid WHERE c.seq > ? AND c.seq <= ? ORDER BY c.seq LIMIT ?`)
    .all(after, upTo, limit)
    .map((row) => {
      const change = { type: String(row["type"]), data: parseColumn(row["data"]) } as MemoryChange;
      return toEntry(String(row["name"]), Number(row["seq"]), change, new Date(Number(row["ts_ms"])));
    });
}

function selectAppended({ sql }: Connection, after: number, upTo: number, limit: number): WorkspaceEntry[] {
  return sql(`SELECT e.seq, e.kind, e.appended_on, e.ts_ms, d.name AS doc, w.name FROM memory_entries e
    CROSS JOIN memory_docs d ON d.doc = e.doc CROSS JOIN memory_workspaces w ON w.wid = d.wid
    WHERE e.seq > ? AND e.seq <= ? AND e.appended_on IS NOT NULL ORDER BY e.seq LIMIT ?`)
    .all(after, upTo, limit)
    .map((row) => {
      const [seq, kind] = [Number(row["seq"]), String(row["kind"]) as EntryKind];
      const data = { branch: String(row["appended_on"]), doc: String(row["doc"]), seq, kind };
      const change: Appended = { type: "note_committed", data };
      return toEntry(String(row["name"]), seq, change, new Date(Number(row["ts_ms"])));
    });
}
