import { type GraphVersion, nothing } from "../../../../domain/memory/graph.ts";
import { beyond, endOfTime, type Segment } from "../../../../domain/memory/lineage.ts";
import type { KnownDifference } from "../../../../domain/memory/merge/merge-questions.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import type { GraphChanges, GraphDifference } from "../../../../ports/memory/graph.ts";
import { decodeVersion, versionColumns } from "../../../rows/graph-rows.ts";
import { parseColumn } from "../../connection/driver.ts";
import { findDoc, type Place, requireBranchIn } from "../places.ts";
import {
  currentOf,
  currentRows,
  type GraphView,
  keysWritten,
  lineageOf,
  lineageTable,
  openView,
} from "./graph-view.ts";

type DiffPage = { changes: GraphVersion[]; hasMore: boolean };

/**
 * States that `to` shows and that differ from what `from` shows, newest first. `known` saves looking at everything that
 * either has changed since one was made from the other.
 */
export function diffViews(
  from: GraphView,
  to: GraphView,
  before = endOfTime,
  limit: number,
  known?: KnownDifference,
): DiffPage {
  const changes: GraphVersion[] = [];
  const recent = known && candidatesSince(from, to, before, limit, known);
  for (const seqs of recent ?? candidates(from, to, before, limit)) {
    for (const version of differing(from, to, seqs)) changes.push(version);
    if (changes.length > limit) break;
  }
  return { changes: changes.slice(0, limit), hasMore: changes.length > limit };
}

/** Keys that are looked up one by one; where `from` has changed more of them, walking along both is no slower. */
const maxLookedUp = 1_000;

/** `undefined` where too much has changed. */
function candidatesSince(
  from: GraphView,
  to: GraphView,
  before: number,
  limit: number,
  { seq, keys }: KnownDifference,
): Iterable<number[]> | undefined {
  const [theirs, ours] = [from.lineage[0], to.lineage[0]];
  if (!theirs || !ours) return undefined;
  const range = { doc: from.doc ?? 0, bid: theirs.branch, after: seq, upTo: theirs.upTo };
  const changed = keysWritten(from.place, range, maxLookedUp + 1);
  if (changed.length > maxLookedUp) return undefined;
  const older = [...currentRows(to, [...keys, ...changed]).values()]
    .map((row) => row.seq)
    .filter((shown) => shown <= seq && shown < before)
    .sort((one, other) => other - one);
  return chain(writtenBy(to, { ...ours, after: Math.max(ours.after, seq) }, before, limit), [older]);
}

function* chain<Item>(...lists: Iterable<Item>[]): Generator<Item> {
  for (const list of lists) yield* list;
}

/** Rows looked at in one go: a page at first, more and more where little of them fits. */
const maxAtOnce = 1_024;

/** The newest up to `end`, at most `count` of them, newest first; `isLast` where there is none before them. */
export type Fetch<Item = number> = (end: number, count: number) => { items: Item[]; isLast: boolean };

/** From `start` down, in pieces. */
export function* inStrides<Item>(
  start: number,
  limit: number,
  fetch: Fetch<Item>,
  seqOf: (item: Item) => number,
): Generator<Item[]> {
  let end = start;
  for (let count = limit + 1; ; count = Math.min(count * 4, maxAtOnce)) {
    const { items, isLast } = fetch(end, count);
    const last = items.at(-1);
    if (last === undefined) return;
    yield items;
    if (isLast) return;
    end = seqOf(last) - 1;
  }
}

/** Pieces of any length as batches: a page at first, then as large as strides. */
export function* inBatches<Item>(pieces: Iterable<readonly Item[]>, limit: number): Generator<Item[]> {
  let waiting: Item[] = [];
  let size = limit + 1;
  for (const piece of pieces) {
    waiting = waiting.concat(piece);
    while (waiting.length >= size) {
      yield waiting.slice(0, size);
      waiting = waiting.slice(size);
      size = Math.min(size * 4, maxAtOnce);
    }
  }
  if (waiting.length > 0) yield waiting;
}

export const itself = (seq: number): number => seq;

/** What a statement with `LIMIT count` found. */
export const limitedTo = <Item>(items: Item[], count: number): { items: Item[]; isLast: boolean } => ({
  items,
  isLast: items.length < count,
});

/** Several lists, each newest first and of at most `count`, merged into one without doubles. */
export function newestOf(
  lists: readonly (readonly number[])[],
  count: number,
): { items: number[]; isLast: boolean } {
  // Below the end of a list that was cut off, another list could hold what this one has not shown yet.
  const floor = Math.max(0, ...lists.map((list) => (list.length === count ? (list.at(-1) ?? 0) : 0)));
  const items = [...new Set(lists.flat())].filter((seq) => seq >= floor).sort((one, other) => other - one);
  return { items, isLast: lists.every((list) => list.length < count) };
}

/**
 * What only `to` has seen is newer than everything both have seen, so it comes first; then what `from` alone has
 * changed, as `to` still holds it.
 */
function* candidates(from: GraphView, to: GraphView, before: number, limit: number): Generator<number[]> {
  for (const segment of beyond(to.lineage, from.lineage)) yield* writtenBy(to, segment, before, limit);
  yield* inStrides(Math.min(lastInCommon(from, to), before - 1), limit, replacedBy(from, to), itself);
}

function writtenBy(
  { place, doc }: GraphView,
  { branch, after, upTo }: Segment,
  before: number,
  limit: number,
): Generator<number[]> {
  const select = place.connection.sql(
    `SELECT seq FROM graph_versions WHERE doc = ? AND bid = ? AND visible = 1 AND seq > ? AND seq <= ?
     ORDER BY seq DESC LIMIT ?`,
  );
  const fetch: Fetch = (end, count) =>
    limitedTo(
      select.all(doc ?? 0, branch, after, end, count).map((row) => Number(row["seq"])),
      count,
    );
  return inStrides(Math.min(upTo, before - 1), limit, fetch, itself);
}

/** The highest seq that both views show. */
function lastInCommon(from: GraphView, to: GraphView): number {
  return Math.max(0, ...to.lineage.map(({ branch, upTo }) => Math.min(upTo, from.cutoffs.get(branch) ?? 0)));
}

/**
 * What the changes that only `from` has seen took the place of. A change that was hidden has passed this on to its
 * follower, so of everything that `to` still holds and `from` does not, there is a visible one that replaced it. What
 * `to` has replaced as well, as after a merge, it does not hold.
 */
function replacedBy(from: GraphView, to: GraphView): Fetch {
  const changed = beyond(from.lineage, to.lineage);
  const own = to.lineage[0];
  const select = from.place.connection.sql(
    `SELECT v.replaces FROM graph_versions v INDEXED BY graph_by_replaced WHERE v.doc = ? AND v.bid = ?
     AND v.visible = 1 AND v.replaces <= ? AND v.seq > ? AND v.seq <= ? AND NOT EXISTS (
       SELECT 1 FROM graph_versions o INDEXED BY graph_by_replaced WHERE o.doc = v.doc AND o.bid = ?
       AND o.visible = 1 AND o.replaces = v.replaces AND o.seq <= ?) ORDER BY v.replaces DESC LIMIT ?`,
  );
  return (end, count) =>
    newestOf(
      changed.map(({ branch, after, upTo }) =>
        select
          .all(from.doc ?? 0, branch, end, after, upTo, own?.branch ?? 0, own?.upTo ?? 0, count)
          .map((row) => Number(row["replaces"])),
      ),
      count,
    );
}

/** Nothing on one side and something deleted on the other show the same: nothing. */
function differing(from: GraphView, to: GraphView, seqs: readonly number[]): GraphVersion[] {
  return to.place.connection
    .sql(
      `WITH ${lineageTable("ours")}, ${lineageTable("theirs")}
       SELECT ${versionColumns} FROM json_each(?) c JOIN graph_versions v ON v.seq = c.value
       WHERE v.visible = 1 AND v.fingerprint <> coalesce(${currentOf("fingerprint", "v", "theirs")}, ?)
       AND v.seq = ${currentOf("seq", "v", "ours")} ORDER BY v.seq DESC`,
    )
    .all(lineageOf(to), lineageOf(from), JSON.stringify(seqs), nothing)
    .map((row) => decodeVersion(row).version);
}

/** What one branch shows in a graph that another does not. */
export function diffBranches(place: Place, { from, to, doc, before, limit }: GraphDifference): GraphChanges {
  const branch = (name: string) => requireBranchIn(place.connection, place.workspace, name).branch;
  const [one, other] = [branch(from), branch(to)];
  const known = differenceBetween(place, one, other, doc);
  return diffViews(openView(place, one.bid, doc), openView(place, other.bid, doc), before, limit, known);
}

/** `undefined` if neither was made from the other, or they were never merged. */
function differenceBetween(
  place: Place,
  one: BranchRow,
  other: BranchRow,
  docName: string,
): KnownDifference | undefined {
  const child = one.base === other.bid ? one : other.base === one.bid ? other : undefined;
  if (!child) return undefined;
  const row = place.connection
    .sql("SELECT seq, keys FROM graph_known_differences WHERE bid = ? AND doc = ?")
    .get(child.bid, findDoc(place, docName) ?? 0);
  return row && { seq: Number(row["seq"]), keys: parseColumn<string[]>(row["keys"]) };
}
