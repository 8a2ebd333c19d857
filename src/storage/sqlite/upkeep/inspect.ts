import type { StoreInspection } from "../../../ports/upkeep.ts";
import { type Database, driverName } from "../connection/driver.ts";
import { runLongStatements } from "../connection/long-statements.ts";
import type { Connection } from "../connection/open-database.ts";
import { lastSeq } from "../connection/sequence.ts";

const listedProblems = 20;

export type RowCounts = { seq: number; sessions: number; thoughts: number };

const numberFrom = (db: Database, sql: string): number => Number(db.prepare(sql).get()?.["n"] ?? 0);

/**
 * Counts rows. `seq` counts everything that ever happened, so a copy that has reached a seq is complete up to it.
 */
export function countRows(db: Database): RowCounts {
  return {
    seq: numberFrom(db, `SELECT ${lastSeq} AS n`),
    sessions: numberFrom(db, "SELECT count(*) AS n FROM sessions WHERE deleted_at IS NULL"),
    thoughts: numberFrom(db, "SELECT count(*) AS n FROM thoughts"),
  };
}

/** Returns the problems that SQLite finds in its file. The list is empty if the file is intact. */
export async function findFileProblems(
  store: Pick<Connection, "db" | "location">,
  signal?: AbortSignal,
): Promise<string[]> {
  const sql = `PRAGMA integrity_check(${listedProblems})`;
  const [rows = []] = await runLongStatements(store, [{ sql }], signal);
  return rows.map((row) => String(row["integrity_check"])).filter((line) => line !== "ok");
}

const countTexts = (which: "<=" | ">"): string => {
  const mark = "(SELECT value FROM counters WHERE name = 'indexed_seq')";
  return `SELECT (SELECT count(*) FROM thoughts WHERE seq ${which} ${mark})
    + (SELECT count(*) FROM memory_entries WHERE kind = 'note' AND seq ${which} ${mark}) AS n`;
};

/** Counts missing rows, which SQLite cannot detect because the index does not store the text. */
function findLackingWords(db: Database): string[] {
  const indexed = numberFrom(db, "SELECT count(*) AS n FROM text_words_docsize");
  const due = numberFrom(db, countTexts("<="));
  return indexed < due ? [`text_words lacks ${due - indexed} thoughts and notes`] : [];
}

/** Inspects everything except the problems that SQLite finds in its file. */
export function inspectRows({ db, readOnly }: Connection): StoreInspection {
  const { sessions, thoughts } = countRows(db);
  return {
    engine: {
      name: "SQLite",
      version: String(db.prepare("SELECT sqlite_version() AS v").get()?.["v"]),
      driver: driverName(),
    },
    problems: findLackingWords(db),
    sessions,
    thoughts,
    inTrash: numberFrom(db, "SELECT count(*) AS n FROM sessions WHERE deleted_at IS NOT NULL"),
    unindexed: numberFrom(db, countTexts(">")),
    writable: !readOnly,
  };
}
