import type { CaptureBook } from "../../../ports/capture.ts";
import { capturedColumns, capturedValues, decodeCaptured } from "../../rows/captured-rows.ts";
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
        // A claim with an end that is too far in the future was made before the clock was set back, so it is ignored.
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
