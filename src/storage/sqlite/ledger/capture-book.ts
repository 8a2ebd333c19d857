import type { CaptureBook } from "../../../ports/capture.ts";
import { capturedColumns, capturedValues, decodeCaptured, takeClaim } from "../../rows/captured-rows.ts";
import type { WithConnection } from "../connection/access.ts";

/** `submit` must not announce its commits to the feed, because subscribers do not need positions in files. */
export function createCaptureBook(read: WithConnection, submit: WithConnection): CaptureBook {
  return {
    find: (root, path) =>
      read(({ sql }) => {
        const row = sql(
          `SELECT ${capturedColumns} FROM captured_files WHERE root = ? AND path = ? AND at <> ''`,
        ).get(root, path);
        return row && decodeCaptured(row);
      }),
    list: (limit) =>
      read(({ sql }) => ({
        files: sql(`SELECT ${capturedColumns} FROM captured_files WHERE at <> '' ORDER BY at DESC LIMIT ?`)
          .all(limit)
          .map(decodeCaptured),
        total: Number(sql("SELECT count(*) AS n FROM captured_files WHERE at <> ''").get()?.["n"] ?? 0),
      })),
    claim: ({ root, path, holder, now, lastsMs }) =>
      submit(({ sql }) => {
        const done = sql(`INSERT INTO captured_files AS f (root, path, holder, held_until) VALUES (?, ?, ?, ?)
          ON CONFLICT (root, path) ${takeClaim}`).run(root, path, holder, now + lastsMs, now);
        return Number(done.changes) > 0;
      }),
    note: (file) =>
      submit(({ sql }) => {
        sql(`INSERT INTO captured_files (${capturedColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (root, path) DO UPDATE SET bytes = excluded.bytes, modified_ms = excluded.modified_ms,
            at = excluded.at, cwd = excluded.cwd, session_id = excluded.session_id, project = excluded.project,
            problem = excluded.problem, running = excluded.running`).run(...capturedValues(file));
      }),
    release: (holder) =>
      submit(({ sql }) => {
        sql("UPDATE captured_files SET holder = NULL, held_until = 0 WHERE holder = ?").run(holder);
      }),
  };
}
