import type { CapturedFile, RunningCall } from "../../ports/capture.ts";
import { parseColumn, type Row, type SqlValue } from "./row.ts";

export const capturedColumns =
  "root, path, bytes, modified_ms, at, cwd, session_id, project, problem, running";

/** Returns the values of a file, in the order of the columns. */
export const capturedValues = (file: CapturedFile): SqlValue[] => [
  ...[file.root, file.path, file.bytes, file.modifiedMs, file.at],
  ...[file.cwd, file.sessionId, file.project, file.problem].map((text) => text ?? null),
  file.running ? JSON.stringify(file.running) : null,
];

/**
 * SQL: the end of an upsert. Replaces an earlier claim `f` only if `mayTake` allows it. Because a claim is
 * one statement, the rule is written in SQL. The parameter is the current time.
 */
export const takeClaim = `DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
  WHERE f.holder IS NULL OR f.holder = excluded.holder OR f.held_until <= ? OR f.held_until > excluded.held_until`;

export function decodeCaptured(row: Row): CapturedFile {
  const text = (name: string, column: string) => (row[column] == null ? {} : { [name]: String(row[column]) });
  return {
    root: String(row["root"]),
    path: String(row["path"]),
    bytes: Number(row["bytes"]),
    modifiedMs: Number(row["modified_ms"]),
    at: String(row["at"]),
    ...text("cwd", "cwd"),
    ...text("sessionId", "session_id"),
    ...text("project", "project"),
    ...text("problem", "problem"),
    ...(row["running"] != null && { running: parseColumn<RunningCall>(row["running"]) }),
  };
}
