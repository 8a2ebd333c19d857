import { deletedFingerprint, type GraphVersion } from "../../../domain/memory/graph.ts";
import { beyond, endOfTime, type Segment } from "../../../domain/memory/lineage.ts";
import type { KnownDifference } from "../../../domain/memory/merge/merge-questions.ts";
import type { BranchRow } from "../../../domain/memory/steps/rows.ts";
import type { GraphChanges, GraphDifference } from "../../../ports/memory/graph.ts";
import { decodeVersion, versionColumns } from "../../rows/graph-rows.ts";
import { parseColumn } from "../../rows/row.ts";
import { findDoc, type Place, requireBranchIn } from "../places.ts";
import { all, each, get, type Query, together } from "../query.ts";
import {
  currentOf,
  currentRows,
  type GraphView,
  keysWritten,
  lineageJson,
  lineageTable,
  openView,
} from "./graph-view.ts";
import {
  type Fetch,
  inParts,
  inStrides,
  itself,
  limitedTo,
  newestOf,
  oneByOne,
  type Pieces,
} from "./strides.ts";

/** Returns what is visible in a graph on `to` but not on `from`. */
export function* diffBranches(place: Place, difference: GraphDifference): Query<GraphChanges> {
  const { doc } = difference;
  const { branch: from } = yield* requireBranchIn(place.workspace, difference.from);
  const { branch: to } = yield* requireBranchIn(place.workspace, difference.to);
  const [known, theirs, ours] = yield* together(
    differenceBetween(place, from, to, doc),
    openView(place, from.bid, doc),
    openView(place, to.bid, doc),
  );
  return yield* diffViews(theirs, ours, difference, known);
}

/** Returns the known difference. `undefined` if neither branch came from the other or they never merged. */
function* differenceBetween(
  place: Place,
  one: BranchRow,
  other: BranchRow,
  docName: string,
): Query<KnownDifference | undefined> {
  const child = one.base === other.bid ? one : other.base === one.bid ? other : undefined;
  if (!child) return undefined;
  const row = yield* get(
    "SELECT k.seq, k.keys FROM {graph_known_differences} k WHERE k.bid = ? AND k.doc = ?",
    ...[child.bid, (yield* findDoc(place, docName)) ?? 0],
  );
  return row && { seq: Number(row["seq"]), keys: parseColumn<string[]>(row["keys"]) };
}

/**
 * Returns the states on `to` that differ from those on `from`, newest first. `known` avoids reading
 * everything that either branch has changed since one was created from the other.
 */
function* diffViews(
  from: GraphView,
  to: GraphView,
  { before = endOfTime, limit }: Pick<GraphDifference, "before" | "limit">,
  known: KnownDifference | undefined,
): Query<GraphChanges> {
  const changes: GraphVersion[] = [];
  const recent = known && (yield* candidatesSince(from, to, before, limit, known));
  const pieces = recent ?? candidates(from, to, before, limit);
  for (let seqs = yield* pieces(); seqs; seqs = yield* pieces()) {
    for (const version of yield* differing(from, to, seqs)) changes.push(version);
    if (changes.length > limit) break;
  }
  return { changes: changes.slice(0, limit), hasMore: changes.length > limit };
}

/**
 * The maximum number of changed keys to look up one by one. For more keys, walking both views is just as fast.
 */
const maxLookedUp = 1_000;

/** Returns the versions of changed keys, newest first, or `undefined` if too many keys have changed. */
function* candidatesSince(
  from: GraphView,
  to: GraphView,
  before: number,
  limit: number,
  { seq, keys }: KnownDifference,
): Query<Pieces<number> | undefined> {
  const [[theirs], [ours]] = [from.lineage, to.lineage];
  if (!theirs || !ours) return undefined;
  const range = { branch: theirs.branch, after: seq, upTo: theirs.upTo };
  const changed = yield* keysWritten(from.doc ?? 0, [range], maxLookedUp + 1);
  if (changed.length > maxLookedUp) return undefined;
  const older = [...(yield* currentRows(to, [...keys, ...changed])).values()]
    .map((row) => row.seq)
    .filter((shown) => shown <= seq && shown < before)
    .sort((one, other) => other - one);
  const newer = writtenBy(to, { ...ours, after: Math.max(ours.after, seq) }, before, limit);
  return inOrder([newer, oneByOne([older])]);
}

const inOrder = (parts: Iterable<Pieces<number>>): Pieces<number> => inParts(oneByOne(parts), (part) => part);

/**
 * Returns candidates, newest first. Versions visible only in `to` are newer than all versions visible in both, so they
 * are listed first. Versions that `from` has replaced but that are still visible in `to` follow.
 */
const candidates = (from: GraphView, to: GraphView, before: number, limit: number): Pieces<number> =>
  inOrder([
    ...beyond(to.lineage, from.lineage).map((segment) => writtenBy(to, segment, before, limit)),
    inStrides(Math.min(lastInCommon(from, to), before - 1), limit, replacedBy(from, to), itself),
  ]);

const writtenSeqs = `SELECT v.seq FROM {graph_versions} v WHERE v.doc = ? AND v.bid = ? AND v.visible = 1
  AND v.seq > ? AND v.seq <= ? ORDER BY v.seq DESC LIMIT ?`;

function writtenBy(
  { doc }: GraphView,
  { branch, after, upTo }: Segment,
  before: number,
  limit: number,
): Pieces<number> {
  const fetch: Fetch = function* (end, count) {
    const rows = yield* all(writtenSeqs, doc ?? 0, branch, after, end, count);
    return limitedTo(
      rows.map((row) => Number(row["seq"])),
      count,
    );
  };
  return inStrides(Math.min(upTo, before - 1), limit, fetch, itself);
}

/** Returns the highest seq that is visible in both views. */
function lastInCommon(from: GraphView, to: GraphView): number {
  return Math.max(0, ...to.lineage.map(({ branch, upTo }) => Math.min(upTo, from.cutoffs.get(branch) ?? 0)));
}

const replacedSeqs = `SELECT v.replaces FROM {graph_versions} v INDEXED BY graph_by_replaced WHERE v.doc = ? AND v.bid = ?
  AND v.visible = 1 AND v.replaces IS NOT NULL AND v.replaces <= ? AND v.seq > ? AND v.seq <= ? AND NOT EXISTS (
    SELECT 1 FROM {graph_versions} o INDEXED BY graph_by_replaced WHERE o.doc = v.doc AND o.bid = ? AND o.visible = 1
    AND o.replaces IS NOT NULL AND o.replaces = v.replaces AND o.seq <= ?) ORDER BY v.replaces DESC LIMIT ?`;

/**
 * Returns the versions that were replaced by changes visible only in `from`. If a later change to the same
 * key hides an earlier one, the later change records the version that both replaced, so looking at visible
 * changes is enough. Omits versions that `to` has also replaced, for example after a merge.
 */
function replacedBy(from: GraphView, to: GraphView): Fetch {
  const changed = beyond(from.lineage, to.lineage);
  const [own] = to.lineage;
  return function* (end, count) {
    const lists = yield* each(changed, function* ({ branch, after, upTo }) {
      const rows = yield* all(
        replacedSeqs,
        ...[from.doc ?? 0, branch, end, after, upTo, own?.branch ?? 0, own?.upTo ?? 0, count],
      );
      return rows.map((row) => Number(row["replaces"]));
    });
    return newestOf(lists, count);
  };
}

const differingVersions = `WITH ${lineageTable("ours")}, ${lineageTable("theirs")}
  SELECT ${versionColumns} FROM NUMBERS(?) c JOIN {graph_versions} v ON v.seq = c.value
  WHERE v.visible = 1 AND v.fingerprint <> coalesce(${currentOf("fingerprint", "v", "theirs")}, ?)
  AND v.seq = ${currentOf("seq", "v", "ours")} ORDER BY v.seq DESC`;

/** Returns the versions that differ between the views. A missing key is equivalent to a deleted one. */
function* differing(from: GraphView, to: GraphView, seqs: readonly number[]): Query<GraphVersion[]> {
  const [ours, theirs] = [lineageJson(to.lineage), lineageJson(from.lineage)];
  const rows = yield* all(differingVersions, ours, theirs, seqs, deletedFingerprint);
  return rows.map((row) => decodeVersion(row).version);
}
