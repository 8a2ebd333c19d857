import type { MergeSides } from "./merge-facts.ts";

/** A key of the source, and the number of its newest version there. */
export type Changed = { key: string; seq: number };

/** Up to here the source has nothing that is not settled with the target; only what is newer has to be looked at. */
export function settledUpTo({ place, child, doc, from, since }: MergeSides): number {
  const row = place.connection
    .sql("SELECT seq FROM graph_merged WHERE bid = ? AND doc = ? AND from_bid = ?")
    .get(child, doc, from.bid);
  return Math.max(since, Number(row?.["seq"] ?? 0));
}

/**
 * Call inside a write, after the page was merged that began behind `start`. A key that waits for a decision holds the
 * mark back, so that it is looked at again.
 */
export function moveMark(
  sides: MergeSides,
  start: number,
  page: readonly Changed[],
  pending: readonly string[],
): void {
  const marked = settledUpTo(sides);
  if (start > marked) return;
  const waiting = new Set(pending);
  const firstWaiting = page.find(({ key }) => waiting.has(key));
  const seq = firstWaiting ? firstWaiting.seq - 1 : (page.at(-1)?.seq ?? 0);
  if (seq <= marked) return;
  const { place, child, doc, from } = sides;
  place.connection
    .sql(
      `INSERT INTO graph_merged (bid, doc, from_bid, seq) VALUES (?, ?, ?, ?)
       ON CONFLICT (bid, doc, from_bid) DO UPDATE SET seq = excluded.seq`,
    )
    .run(child, doc, from.bid, seq);
}

/** Call inside a write: a decision by hand may settle a key with what only one of the two branches holds. */
export function forgetMarks({ place, child, doc }: MergeSides): void {
  place.connection.sql("DELETE FROM graph_merged WHERE bid = ? AND doc = ?").run(child, doc);
}
