import type { StoreInspection } from "../../ports/upkeep.ts";
import { type Database, driverName } from "./driver.ts";
import type { Connection } from "./open-database.ts";

const listedProblems = 20;

export type RowCounts = { seq: number; sessions: number; thoughts: number };

const numberFrom = (db: Database, sql: string): number => Number(db.prepare(sql).get()?.["n"] ?? 0);

/** `seq` counts everything that ever happened, so a copy that reached it lacks nothing before it. */
export function countRows(db: Database): RowCounts {
  return {
    seq: numberFrom(db, "SELECT value AS n FROM counters WHERE name = 'seq'"),
    sessions: numberFrom(db, "SELECT count(*) AS n FROM sessions WHERE deleted_at IS NULL"),
    thoughts: numberFrom(db, "SELECT count(*) AS n FROM thoughts"),
  };
}

/** What SQLite says of its own file, index by index; empty when it is whole. */
export function findFileProblems(db: Database): string[] {
  return db
    .prepare(`PRAGMA integrity_check(${listedProblems})`)
    .all()
    .map((row) => String(row["integrity_check"]))
    .filter((line) => line !== "ok");
}

export function inspectStore({ db, readOnly }: Connection): StoreInspection {
  const { sessions, thoughts } = countRows(db);
  return {
    driver: { name: driverName(), sqlite: String(db.prepare("SELECT sqlite_version() AS v").get()?.["v"]) },
    problems: findFileProblems(db),
    sessions,
    thoughts,
    inTrash: numberFrom(db, "SELECT count(*) AS n FROM sessions WHERE deleted_at IS NOT NULL"),
    unindexed: numberFrom(
      db,
      "SELECT count(*) AS n FROM thoughts WHERE seq > (SELECT value FROM counters WHERE name = 'indexed_seq')",
    ),
    writable: !readOnly,
  };
}
