import type { CaptureBook, CapturedFile } from "../../../ports/capture.ts";
import type { Row } from "../../rows/row.ts";
import type { WithConnection } from "../connection/access.ts";

const columns = "root, path, bytes, modified_ms, at, cwd, session_id, project, problem";

/** `submit` must not announce its commits to the feed: nobody there wants to know how far a file is read. */
export function createCaptureBook(read: WithConnection, submit: WithConnection): CaptureBook {
  return {
    find: (root, path) =>
      read(({ sql }) => {
        const row = sql(`SELECT ${columns} FROM captured_files WHERE root = ? AND path = ? AND at <> ''`).get(
          root,
          path,
        );
        return row && decode(row);
      }),
    list: (limit) =>
      read(({ sql }) => ({
        files: sql(`SELECT ${columns} FROM captured_files WHERE at <> '' ORDER BY at DESC LIMIT ?`)
          .all(limit)
          .map(decode),
        total: Number(sql("SELECT count(*) AS n FROM captured_files WHERE at <> ''").get()?.["n"] ?? 0),
      })),
    claim: ({ root, path, holder, now, lastsMs }) =>
      submit(({ sql }) => {
        // A claim that ends later than any could was made before the clock was set back.
        const done = sql(`INSERT INTO captured_files (root, path, holder, held_until) VALUES (?, ?, ?, ?)
          ON CONFLICT (root, path) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
          WHERE holder IS NULL OR holder = excluded.holder OR held_until <= ? OR held_until > ?`).run(
          root,
          path,
          holder,
          now + lastsMs,
          now,
          now + lastsMs,
        );
        return Number(done.changes) > 0;
      }),
    note: ({ root, path, bytes, modifiedMs, at, cwd, sessionId, project, problem }) =>
      submit(({ sql }) => {
        sql(`INSERT INTO captured_files (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (root, path) DO UPDATE SET bytes = excluded.bytes, modified_ms = excluded.modified_ms,
            at = excluded.at, cwd = excluded.cwd, session_id = excluded.session_id, project = excluded.project,
            problem = excluded.problem`).run(
          root,
          path,
          bytes,
          modifiedMs,
          at,
          ...[cwd, sessionId, project, problem].map((text) => text ?? null),
        );
      }),
    release: (holder) =>
      submit(({ sql }) => {
        sql("UPDATE captured_files SET holder = NULL, held_until = 0 WHERE holder = ?").run(holder);
      }),
  };
}

function decode(row: Row): CapturedFile {
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
  };
}
