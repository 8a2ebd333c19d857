import { mergeLimits } from "../../../../domain/memory/merge/merge-limits.ts";
import { nothing } from "../../../../domain/memory/merge/three-way.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import { parseColumn } from "../../connection/json-column.ts";
import { currentSeq } from "../../connection/sequence.ts";
import type { KnownDifference } from "../graph/graph-diff.ts";
import { currentRows, keysWritten } from "../graph/graph-view.ts";
import { findDoc, type Place } from "../places.ts";
import type { MergeSides } from "./merge-facts.ts";
import type { MergePlan } from "./plan-merge.ts";
import type { SettledGraph } from "./settled.ts";

/** More keys than these are not compared while other writers wait, and not remembered. */
const maxCompared = mergeLimits.transaction;

/** When a branch and its base were last compared, and the keys in which they differed then. */
function knownDifference({ place, child, doc }: SettledGraph): KnownDifference | undefined {
  const row = place.connection
    .sql("SELECT seq, keys FROM graph_known_differences WHERE bid = ? AND doc = ?")
    .get(child, doc);
  return row && { seq: Number(row["seq"]), keys: parseColumn<string[]>(row["keys"]) };
}

/** `undefined` where neither was made from the other, or they were never merged. */
export function differenceBetween(
  place: Place,
  one: BranchRow,
  other: BranchRow,
  docName: string,
): KnownDifference | undefined {
  const child = one.base === other.bid ? one : other.base === one.bid ? other : undefined;
  const doc = findDoc(place, docName);
  return child && doc !== undefined ? knownDifference({ place, child: child.bid, doc }) : undefined;
}

/** The first and the last number of what a merge has written to the target; none where it wrote nothing. */
export type Copies = { first: number; last: number } | undefined;

/**
 * Call inside a write, with everything of the merge in place. What it applied or found equal is the same on both sides;
 * what else either branch has written since the last time is compared here, unless it is too much. What is remembered
 * stays true then, only older.
 */
export function learnDifference(
  sides: MergeSides,
  { decision, page, start }: Pick<MergePlan, "decision" | "page" | "start">,
  copies: Copies,
): void {
  const { place, child, doc, from, into, madeAt } = sides;
  // No branch has such a document.
  if (doc === 0) return;
  const before = knownDifference(sides) ?? { seq: madeAt, keys: [] };
  const now = currentSeq(place.connection);
  const written = (bid: number, after: number, upTo: number) =>
    keysWritten(place, { doc, bid, after, upTo }, maxCompared + 1);
  const same = new Set(decision.settle.map(({ key }) => key));
  const unsure = new Set([
    ...before.keys,
    ...page.flatMap(({ key }) => (same.has(key) ? [] : key)),
    ...written(from.bid, before.seq, start),
    ...written(from.bid, Math.max(before.seq, page.at(-1)?.seq ?? start), now),
    ...written(into.bid, before.seq, copies ? copies.first - 1 : now),
    ...(copies ? written(into.bid, copies.last, now) : []),
  ]);
  if (unsure.size > maxCompared) return;
  place.connection
    .sql(
      `INSERT INTO graph_known_differences (bid, doc, seq, keys) VALUES (?, ?, ?, ?)
       ON CONFLICT (bid, doc) DO UPDATE SET seq = excluded.seq, keys = excluded.keys`,
    )
    .run(child, doc, now, JSON.stringify(differingKeys(sides, [...unsure])));
}

function differingKeys({ theirs, ours }: MergeSides, keys: readonly string[]): string[] {
  const [there, here] = [theirs, ours].map((view) => currentRows(view, keys));
  const shown = (rows: typeof there, key: string) => rows?.get(key)?.fingerprint ?? nothing;
  return keys.filter((key) => shown(there, key) !== shown(here, key));
}
