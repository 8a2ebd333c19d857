import { type GraphVersion, nothing } from "../../../../domain/memory/graph.ts";
import { beyond, endOfTime, type Segment } from "../../../../domain/memory/lineage.ts";
import type { KnownDifference } from "../../../../domain/memory/merge/merge-questions.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import type { GraphChanges, GraphDifference } from "../../../../ports/memory/graph.ts";
import { decodeVersion, versionColumns } from "../../../rows/graph-rows.ts";
import { parseColumn } from "../../../rows/row.ts";
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
import { type Fetch, inStrides, itself, limitedTo, newestOf } from "./strides.ts";

/**
 * States that `to` shows and that differ from what `from` shows, newest first. `known` saves looking at everything that
 * either has changed since one was made from the other.
 */
async function diffViews(
  from: GraphView,
  to: GraphView,
  { before = endOfTime, limit }: Pick<GraphDifference, "before" | "limit">,
  known: KnownDifference | undefined,
): Promise<GraphChanges> {
  const changes: GraphVersion[] = [];
  const older = known && (await changedBefore(from, to, before, known));
  const [ours] = to.lineage;
  const found =
    known && older && ours
      ? since(to, { ...ours, after: Math.max(ours.after, known.seq) }, before, limit, older)
      : candidates(from, to, before, limit);
  for await (const seqs of found) {
    for (const version of await differing(from, to, seqs)) changes.push(version);
    if (changes.length > limit) break;
  }
  return { changes: changes.slice(0, limit), hasMore: changes.length > limit };
}

/** Keys that are looked up one by one; where `from` has changed more of them, walking along both is no slower. */
const maxLookedUp = 1_000;

/** Versions of `to` from before the known moment that may differ; `undefined` where too much has changed. */
async function changedBefore(
  from: GraphView,
  to: GraphView,
  before: number,
  { seq, keys }: KnownDifference,
): Promise<number[] | undefined> {
  const [theirs] = from.lineage;
  if (!theirs) return undefined;
  const range = { branch: theirs.branch, after: seq, upTo: theirs.upTo };
  const changed = await keysWritten(from.place.connection, from.doc ?? 0, [range], maxLookedUp + 1);
  if (changed.length > maxLookedUp) return undefined;
  return [...(await currentRows(to, [...keys, ...changed])).values()]
    .map((row) => row.seq)
    .filter((shown) => shown <= seq && shown < before)
    .sort((one, other) => other - one);
}

async function* since(to: GraphView, own: Segment, before: number, limit: number, older: number[]) {
  yield* writtenBy(to, own, before, limit);
  yield older;
}

/**
 * What only `to` has seen is newer than everything both have seen, so it comes first; then what `from` alone has
 * changed, as `to` still holds it.
 */
async function* candidates(
  from: GraphView,
  to: GraphView,
  before: number,
  limit: number,
): AsyncGenerator<number[]> {
  for (const segment of beyond(to.lineage, from.lineage)) yield* writtenBy(to, segment, before, limit);
  yield* inStrides(Math.min(lastInCommon(from, to), before - 1), limit, replacedBy(from, to), itself);
}

function writtenBy(
  { place, doc }: GraphView,
  { branch, after, upTo }: Segment,
  before: number,
  limit: number,
): AsyncGenerator<number[]> {
  const select =
    place.connection.sql(`SELECT seq FROM {graph_versions} v WHERE doc = ? AND bid = ? AND visible = 1
    AND seq > ? AND seq <= ? ORDER BY seq DESC LIMIT ?`);
  const fetch: Fetch = async (end, count) => {
    const rows = await select.all(doc ?? 0, branch, after, end, count);
    return limitedTo(
      rows.map((row) => Number(row["seq"])),
      count,
    );
  };
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
  const [own] = to.lineage;
  const select =
    from.place.connection.sql(`SELECT v.replaces FROM {graph_versions} v WHERE v.doc = ? AND v.bid = ?
    AND v.visible = 1 AND v.replaces IS NOT NULL AND v.replaces <= ? AND v.seq > ? AND v.seq <= ? AND NOT EXISTS (
      SELECT 1 FROM {graph_versions} o WHERE o.doc = v.doc AND o.bid = ? AND o.visible = 1
      AND o.replaces IS NOT NULL AND o.replaces = v.replaces AND o.seq <= ?) ORDER BY v.replaces DESC LIMIT ?`);
  return async (end, count) => {
    const lists = await Promise.all(
      changed.map(async ({ branch, after, upTo }) => {
        const rows = await select.all(
          ...[from.doc ?? 0, branch, end, after, upTo, own?.branch ?? 0, own?.upTo ?? 0, count],
        );
        return rows.map((row) => Number(row["replaces"]));
      }),
    );
    return newestOf(lists, count);
  };
}

/** Nothing on one side and something deleted on the other show the same: nothing. */
async function differing(from: GraphView, to: GraphView, seqs: readonly number[]): Promise<GraphVersion[]> {
  const rows = await to.place.connection
    .sql(`WITH ${lineageTable("ours")}, ${lineageTable("theirs")}
      SELECT ${versionColumns} FROM {graph_versions} v WHERE v.seq = ANY (?::bigint[])
      AND v.visible = 1 AND v.fingerprint <> coalesce(${currentOf("fingerprint", "v", "theirs")}, ?)
      AND v.seq = ${currentOf("seq", "v", "ours")} ORDER BY v.seq DESC`)
    .all(lineageOf(to), lineageOf(from), seqs, nothing);
  return rows.map((row) => decodeVersion(row).version);
}

/** What one branch shows in a graph that another does not. */
export async function diffBranches(place: Place, difference: GraphDifference): Promise<GraphChanges> {
  const { doc } = difference;
  const branch = async (name: string) =>
    (await requireBranchIn(place.connection, place.workspace, name)).branch;
  const [from, to] = [await branch(difference.from), await branch(difference.to)];
  const known = await differenceBetween(place, from, to, doc);
  const [theirs, ours] = await Promise.all([openView(place, from.bid, doc), openView(place, to.bid, doc)]);
  return diffViews(theirs, ours, difference, known);
}

/** `undefined` if neither was made from the other, or they were never merged. */
async function differenceBetween(
  place: Place,
  one: BranchRow,
  other: BranchRow,
  docName: string,
): Promise<KnownDifference | undefined> {
  const child = one.base === other.bid ? one : other.base === one.bid ? other : undefined;
  if (!child) return undefined;
  const row = await place.connection
    .sql("SELECT seq, keys FROM {graph_known_differences} k WHERE bid = ? AND doc = ?")
    .get(child.bid, (await findDoc(place, docName)) ?? 0);
  return row && { seq: Number(row["seq"]), keys: parseColumn<string[]>(row["keys"]) };
}
