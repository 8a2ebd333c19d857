import type { Connection } from "./open-database.ts";

/** Call inside a write: the next number of the one counter that orders everything in this database. */
export function nextSeq({ sql }: Connection): number {
  const row = sql("UPDATE counters SET value = value + 1 WHERE name = 'seq' RETURNING value").get();
  return Number(row?.["value"]);
}

/** The highest number given out so far. */
export function currentSeq({ sql }: Connection): number {
  return Number(sql("SELECT value FROM counters WHERE name = 'seq'").get()?.["value"] ?? 0);
}

/** Call inside a write that has counted on by itself from `currentSeq`. */
export function reachSeq({ sql }: Connection, seq: number): void {
  sql("UPDATE counters SET value = ? WHERE name = 'seq'").run(seq);
}
