import type { LedgerUpkeep, Progress } from "../../../ports/upkeep.ts";
import { createLongReader, type WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import { resetWords } from "../search/reindex.ts";
import { graphWords, textWords } from "../search/word-sources.ts";
import { writeBackup } from "./backup.ts";
import { findFileProblems, inspectRows } from "./inspect.ts";

/** Tells how many rows remain of everything that is indexed. */
type CatchUp = (tell: (remaining: number) => void) => Promise<number>;

export function createUpkeep(
  read: WithConnection,
  write: WithConnection,
  catchUp: CatchUp,
): Required<LedgerUpkeep> {
  const readAtLength = createLongReader(read);

  return {
    findSessionIds: (prefix, limit) => read((connection) => selectIds(connection, prefix, limit)),
    listProjects: () =>
      read(({ sql }) =>
        sql("SELECT project FROM sessions UNION SELECT project FROM notes ORDER BY 1")
          .all()
          .map((row) => String(row["project"])),
      ),
    async inspect(signal) {
      const rows = await read(inspectRows);
      const damage = await readAtLength((connection) => findFileProblems(connection, signal), signal);
      return { ...rows, problems: [...damage, ...rows.problems] };
    },
    backup: (path, signal) => readAtLength((connection) => writeBackup(connection, path, signal), signal),
    async reindex(progress: Progress, signal?: AbortSignal) {
      await write(resetWords);
      const { thoughts, nodes } = await read((connection) => ({
        thoughts: textWords.countPending(connection),
        nodes: graphWords.countPending(connection),
      }));
      const total = thoughts + nodes;
      await catchUp((remaining) => {
        signal?.throwIfAborted();
        progress(Math.max(0, total - remaining), total);
      });
      return { thoughts, nodes };
    },
  };
}

/** By range, so that the index on ids is used; ids hold no character above `g`. */
function selectIds({ sql }: Connection, prefix: string, limit: number): string[] {
  return sql(`SELECT id FROM sessions WHERE id >= ? AND id < ? AND deleted_at IS NULL
    ORDER BY updated_at DESC LIMIT ?`)
    .all(prefix, `${prefix}g`, limit)
    .map((row) => String(row["id"]));
}
