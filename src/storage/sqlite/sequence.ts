import type { Connection } from "./open-database.ts";

/** Call inside a write: the next number of the one counter that orders everything in this database. */
export function nextSeq({ sql }: Connection): number {
  const row = sql("UPDATE counters SET value = value + 1 WHERE name = 'seq' RETURNING value").get();
  return Number(row?.["value"]);
}
