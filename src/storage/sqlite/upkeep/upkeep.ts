import { toStems } from "../../../domain/search/words/words.ts";
import type { LedgerUpkeep, Progress } from "../../../ports/upkeep.ts";
import { createLongReader, type WithConnection } from "../connection/access.ts";
import type { Database } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import type { WordIndex } from "../search/word-index.ts";
import { writeBackup } from "./backup.ts";
import { findFileProblems, inspectRows } from "./inspect.ts";

/** The index for thoughts and notes, and the one for nodes. */
type Words = { words: WordIndex; memoryWords: WordIndex };

const wordTables = [
  ...["text_words", "typed_thoughts", "searchable_notes", "note_totals"],
  ...["session_words", "note_words", "graph_words"],
];

/**
 * Drops the search tables, however damaged they are, and recreates them from the schema. There are few titles and
 * knowledge items, so they are indexed here. Thoughts, notes and graphs follow in batches, as after any write.
 */
function resetWords({ db, sql }: Connection): void {
  for (const table of wordTables) {
    const schema = sql("SELECT sql FROM sqlite_schema WHERE name = ?").get(table)?.["sql"];
    db.exec(`DROP TABLE ${table}`);
    db.exec(String(schema));
  }
  db.exec("UPDATE counters SET value = 0 WHERE name IN ('indexed_seq', 'graph_indexed_seq')");
  fillHeadings(db);
}

/** Indexes the names of sessions, and the contents of patterns and scratchpads. */
function fillHeadings(db: Database): void {
  fill(db, "session_words", ["title", "description", "tags"], "sid", "sessions");
  fill(
    db,
    "note_words",
    ["title", "description", "content", "tags"],
    "nid",
    "notes WHERE notes.deleted_at IS NULL",
  );
}

function fill(db: Database, table: string, columns: readonly string[], key: string, rows: string): void {
  const insert = db.prepare(
    `INSERT INTO ${table} (rowid, ${columns.join(", ")}) VALUES (?, ${columns.map(() => "?").join(", ")})`,
  );
  const ids = db.prepare(`SELECT ${key} AS id FROM ${rows} ORDER BY ${key}`).all();
  const table0 = rows.split(" ")[0] ?? "";
  const select = db.prepare(`SELECT ${columns.join(", ")} FROM ${table0} WHERE ${key} = ?`);
  for (const { id = 0 } of ids) {
    const row = select.get(id);
    insert.run(id, ...columns.map((column) => toStems(textOf(column, row?.[column]))));
  }
}

const textOf = (column: string, value: unknown): string => {
  const text = String(value ?? "");
  return column === "tags" ? (JSON.parse(text) as string[]).join(" ") : text;
};

export function createUpkeep(
  read: WithConnection,
  write: WithConnection,
  { words, memoryWords }: Words,
): Required<LedgerUpkeep> {
  const readAtLength = createLongReader(read);

  return {
    async scrub() {
      // Deleted words stay in the full-text index until its segments are merged.
      await write(({ sql }) => {
        for (const table of ["text_words", "session_words"])
          sql(`INSERT INTO ${table} (${table}) VALUES ('optimize')`).run();
      });
      await read(({ db }) => {
        db.exec("VACUUM");
        db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      });
    },
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

/** Selects IDs by range, so that SQLite uses the index on IDs. All characters in IDs sort before `g`. */
function selectIds({ sql }: Connection, prefix: string, limit: number): string[] {
  return sql(`SELECT id FROM sessions WHERE id >= ? AND id < ? AND deleted_at IS NULL
    ORDER BY updated_at DESC LIMIT ?`)
    .all(prefix, `${prefix}g`, limit)
    .map((row) => String(row["id"]));
}
