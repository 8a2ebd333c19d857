import type { LedgerUpkeep } from "../../../ports/upkeep.ts";
import type { WithConnection } from "../connection/access.ts";
import { selectIdsByPrefix } from "../ledger/session-reads.ts";

/**
 * Creates the upkeep without `backup` or `reindex`. PostgreSQL databases are copied with PostgreSQL's own
 * tools, and each write indexes its text.
 */
export function createUpkeep(read: WithConnection): LedgerUpkeep {
  return {
    findSessionIds: (prefix, limit) => read((connection) => selectIdsByPrefix(connection, { prefix, limit })),
    listProjects: () =>
      read(async ({ sql }) =>
        (
          await sql(`SELECT project FROM {sessions} s UNION SELECT project FROM {notes} n ORDER BY 1`).all()
        ).map((row) => String(row["project"])),
      ),
    inspect: () =>
      read(async ({ sql }) => {
        const row = await sql(`SELECT current_setting('server_version') AS version,
          (SELECT count(*) FROM {sessions} s WHERE deleted_at IS NULL) AS sessions,
          (SELECT count(*) FROM {sessions} s WHERE deleted_at IS NOT NULL) AS trash,
          (SELECT count(*) FROM {thoughts} t) AS thoughts,
          (SELECT count(*) FROM {thoughts} t WHERE NOT EXISTS (
            SELECT 1 FROM {text_words} w WHERE w.seq = t.seq)) AS lacking,
          current_setting('transaction_read_only') AS read_only, pg_is_in_recovery() AS replica`).get();
        const lacking = Number(row?.["lacking"] ?? 0);
        return {
          engine: { name: "PostgreSQL", version: String(row?.["version"]), driver: "pg" },
          problems: lacking > 0 ? [`text_words lacks ${lacking} thoughts`] : [],
          sessions: Number(row?.["sessions"] ?? 0),
          thoughts: Number(row?.["thoughts"] ?? 0),
          inTrash: Number(row?.["trash"] ?? 0),
          unindexed: 0,
          writable: row?.["replica"] === 0,
        };
      }),
  };
}
