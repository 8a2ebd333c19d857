import type { Connection } from "./open-database.ts";

/**
 * One counter orders everything in this database. Thoughts, and entries of the memory, carry their numbers themselves
 * and do not write them down: a commit of theirs writes a page less. So the last number is the highest one of the
 * counter's, the newest thought's and the newest entry's.
 */
export const lastSeq = `(SELECT max(value, coalesce((SELECT max(seq) FROM thoughts), 0),
    coalesce((SELECT max(seq) FROM memory_entries), 0))
  FROM counters WHERE name = 'seq')`;

/** Call inside a write: the next number. */
export function nextSeq({ sql }: Connection): number {
  const row = sql(`UPDATE counters SET value = ${lastSeq} + 1 WHERE name = 'seq' RETURNING value`).get();
  return Number(row?.["value"]);
}

/** `mergeFrom` is where the numbers begin that a large merge keeps for itself. */
export type Sequence = { last: number; mergeFrom: number | undefined };

export function readSequence({ sql }: Connection): Sequence {
  const row = sql(
    `SELECT ${lastSeq} AS last, (SELECT min(first_seq) FROM graph_merges WHERE published = 0) AS kept`,
  ).get();
  const kept = row?.["kept"];
  return { last: Number(row?.["last"]), mergeFrom: typeof kept === "number" ? kept : undefined };
}

/** The highest number given out so far. */
export function currentSeq({ sql }: Connection): number {
  return Number(sql(`SELECT ${lastSeq} AS value`).get()?.["value"] ?? 0);
}

/** Call inside a write that has counted on by itself from `currentSeq`, for anything but thoughts and entries. */
export function reachSeq({ sql }: Connection, seq: number): void {
  sql("UPDATE counters SET value = ? WHERE name = 'seq'").run(seq);
}
