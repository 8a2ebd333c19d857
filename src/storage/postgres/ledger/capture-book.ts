import type { CaptureBook } from "../../../ports/capture.ts";
import { capturedColumns, capturedValues, decodeCaptured, takeClaim } from "../../rows/captured-rows.ts";
import type { WithConnection, WithWrite } from "../connection/access.ts";

/**
 * Creates the capture book of one machine. Several machines share this store, but each has its own transcripts.
 * `submit` must not announce its commits to the feed, because subscribers do not need positions in files.
 */
export function createCaptureBook(read: WithConnection, submit: WithWrite, machine: string): CaptureBook {
  const mine = "FROM {captured_files} f WHERE machine = ? AND at <> ''";
  return {
    find: (root, path) =>
      read(async ({ sql }) => {
        const row = await sql(`SELECT ${capturedColumns} ${mine} AND root = ? AND path = ?`).get(
          machine,
          root,
          path,
        );
        return row && decodeCaptured(row);
      }),
    list: (limit) =>
      read(async ({ sql }) => {
        const [rows, total] = await Promise.all([
          sql(`SELECT ${capturedColumns} ${mine} ORDER BY at DESC, root DESC, path DESC LIMIT ?`).all(
            machine,
            limit,
          ),
          sql(`SELECT count(*) AS n ${mine}`).get(machine),
        ]);
        return { files: rows.map(decodeCaptured), total: Number(total?.["n"] ?? 0) };
      }),
    claim: ({ root, path, holder, now, lastsMs }) =>
      submit(async ({ sql }) => {
        const claimed =
          await sql(`INSERT INTO captured_files AS f (tenant, machine, root, path, holder, held_until)
            VALUES (@tenant, ?, ?, ?, ?, ?) ON CONFLICT (tenant, machine, root, path) ${takeClaim}`).run(
            ...[machine, root, path, holder, now + lastsMs, now],
          );
        return claimed > 0;
      }),
    note: (file) =>
      submit(async ({ sql }) => {
        await sql(`INSERT INTO captured_files (tenant, machine, ${capturedColumns})
          VALUES (@tenant, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, machine, root, path)
          DO UPDATE SET bytes = excluded.bytes, modified_ms = excluded.modified_ms, at = excluded.at,
            cwd = excluded.cwd, session_id = excluded.session_id, project = excluded.project,
            problem = excluded.problem, running = excluded.running`).run(machine, ...capturedValues(file));
      }),
    release: (holder) =>
      submit(async ({ sql }) => {
        await sql(`UPDATE captured_files SET holder = NULL, held_until = 0
          WHERE tenant = @tenant AND machine = ? AND holder = ?`).run(machine, holder);
      }),
  };
}
