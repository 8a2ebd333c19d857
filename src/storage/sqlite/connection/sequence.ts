import type { Connection } from "./open-database.ts";

/**
 * One counter orders everything in this database. Thoughts and memory entries contain their own numbers and do not
 * update the counter, so their commits write one page less. The last number is therefore the highest of three: the
 * counter, the newest thought and the newest entry.
 */
export const lastSeq = `(SELECT max(value, coalesce((SELECT max(seq) FROM thoughts), 0),
    coalesce((SELECT max(seq) FROM memory_entries), 0))
  FROM counters WHERE name = 'seq')`;

/** Call inside a write. Returns the next number. */
export function nextSeq({ sql }: Connection): number {
  const row = sql(`UPDATE counters SET value = ${lastSeq} + 1 WHERE name = 'seq' RETURNING value`).get();
  return Number(row?.["value"]);
}

/** `mergeFrom` is the first number that a large merge has reserved, if one is staged. */
export type Sequence = { last: number; mergeFrom: number | undefined };

export function readSequence({ sql }: Connection): Sequence {
  const row = sql(
    `SELECT ${lastSeq} AS last, (SELECT min(first_seq) FROM graph_merges WHERE published = 0) AS kept`,
  ).get();
  const kept = row?.["kept"];
  return { last: Number(row?.["last"]), mergeFrom: typeof kept === "number" ? kept : undefined };
}

/** Returns the highest number assigned so far. */
export function currentSeq({ sql }: Connection): number {
  return Number(sql(`SELECT ${lastSeq} AS value`).get()?.["value"] ?? 0);
}

/**
 * Sets the counter to `seq`. Call inside a write that assigned its own numbers after `currentSeq`. The
 * numbers of thoughts and entries do not need this.
 */
export function reachSeq({ sql }: Connection, seq: number): void {
  sql("UPDATE counters SET value = ? WHERE name = 'seq'").run(seq);
}
