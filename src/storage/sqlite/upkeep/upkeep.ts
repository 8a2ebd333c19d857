import type { LedgerUpkeep, Progress } from "../../../ports/upkeep.ts";
import { createLongReader, type WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import { resetWords } from "../search/reindex.ts";
import type { WordIndex } from "../search/word-index.ts";
import { writeBackup } from "./backup.ts";
import { findFileProblems, inspectRows } from "./inspect.ts";

/** The indexes of thoughts and notes, and of nodes. */
type Words = { words: WordIndex; memoryWords: WordIndex };

export function createUpkeep(
  read: WithConnection,
  write: WithConnection,
  { words, memoryWords }: Words,
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
      const [thoughts, nodes] = [await words.countPending(), await memoryWords.countPending()];
      const total = thoughts + nodes;
      const tell = (remaining: number) => {
        signal?.throwIfAborted();
        progress(Math.max(0, total - remaining), total);
      };
      const left = await memoryWords.catchUp((remaining) => tell(remaining + thoughts));
      await words.catchUp((remaining) => tell(remaining + left));
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
