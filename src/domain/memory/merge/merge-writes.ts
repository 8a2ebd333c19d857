import { planVersions, type Tally } from "../graph/plan-versions.ts";
import { deletedFingerprint } from "../graph.ts";
import { mergeLimits } from "../limits.ts";
import type { VersionRow, WriteKinds, Writes } from "../steps/rows.ts";
import type { MergeDecision, MergeKey } from "./decide-merge.ts";
import { marksOf } from "./fact-book.ts";
import { ask, type Changed, type KnownDifference, type MergeRounds } from "./merge-questions.ts";
import { type MergePlan, newConflicts } from "./plan-merge.ts";

export type Copies = {
  writes: { version: VersionRow[]; superseded: WriteKinds["superseded"][] };
  /** For each key: its version, and how it changes the branch's counts. */
  changes: ReadonlyMap<string, { seq: number; change: Tally }>;
  lastSeq: number;
};

/**
 * Plans new versions on the target with the source's contents. The seqs of these versions start at
 * `firstSeq`.
 */
export function copyVersions(
  { applied, sides }: Pick<MergePlan, "applied" | "sides">,
  keys: readonly MergeKey[],
  tally: Tally,
  firstSeq: number,
  at: Date,
): Copies {
  const { branchedAt, doc } = sides;
  const bid = sides.into.branch;
  const held = new Map(
    keys.flatMap(({ key }) => {
      const version = applied.get(key)?.held;
      return version ? [[key, version] as const] : [];
    }),
  );
  const items = keys.map(({ key, kind, theirs }) => ({
    key,
    kind,
    deleted: theirs?.fingerprint === deletedFingerprint,
    copyOf: theirs?.seq ?? 0,
  }));
  const { rows, superseded } = planVersions({ held, tally, branchedAt, firstSeq }, items);
  const tsMs = at.getTime();
  const version = rows.map(({ item, seq, replaces, tally }): VersionRow => {
    const facets = applied.get(item.key)?.facets ?? [];
    return { ...item, seq, doc, bid, superseded: undefined, replaces, tally, facets, tsMs };
  });
  const heldFacets = (by: number): readonly string[] =>
    applied.get(rows[by - firstSeq]?.item.key ?? "")?.heldFacets ?? [];
  return {
    writes: {
      version,
      superseded: superseded.map(({ seq, by, hidden }) => {
        return { seq, by, hidden, doc, bid, facets: hidden ? heldFacets(by) : [] };
      }),
    },
    changes: new Map(rows.map(({ item, seq, change }) => [item.key, { seq, change }])),
    lastSeq: rows.at(-1)?.seq ?? firstSeq - 1,
  };
}

/** Records that the target has its own graph from `firstSeq` on. Writes nothing if it already had one. */
export function openGraph({ into, doc, hasGraph }: MergePlan["sides"], firstSeq: number): Writes {
  return hasGraph ? {} : { stream: [{ bid: into.branch, doc, form: "graph", firstSeq }] };
}

/**
 * Returns all other writes of the merge. They belong in the same transaction as the versions. `differing` is
 * the result of `learnDifference`.
 */
export function concludeMerge(
  plan: MergePlan,
  differing: readonly string[] | undefined,
  lastSeq: number,
  at: Date,
  settle = plan.decision.settle,
): Writes {
  const { decision, sides, start, page } = plan;
  const { wid, child, doc, from } = sides;
  const mark = moveMark(sides.mark, start, page, decision.pending);
  return onlyRows({
    settled: settledRows(plan, settle),
    mergeMark: mark === undefined ? [] : [{ child, doc, from: from.branch, seq: mark }],
    closedConflict: decision.moot.map((id) => ({ wid, id, resolution: "moot", atMs: at.getTime() })),
    conflict: conflictRows(plan),
    knownDifference: differing ? [{ child, doc, seq: lastSeq, keys: differing }] : [],
  });
}

export function settledRows(
  { sides: { wid, child, doc } }: MergePlan,
  settle: MergePlan["decision"]["settle"],
): WriteKinds["settled"][] {
  return settle.map(({ key, seq }) => ({ wid, child, doc, key, seq }));
}

export function conflictRows(plan: MergePlan): WriteKinds["conflict"][] {
  const { wid, doc, from, into } = plan.sides;
  const place = { wid, doc, from: from.branch, into: into.branch };
  return newConflicts(plan).map((conflict) => ({ ...place, conflict }));
}

/** Drops the kinds of writes that have no rows. */
const onlyRows = (writes: Writes): Writes =>
  Object.fromEntries(Object.entries(writes).filter(([, rows]) => rows.length > 0));

/** Returns the new mark, just before the first unsettled key. The next merge checks this key again. */
function moveMark(
  marked: number,
  start: number,
  page: readonly Changed[],
  pending: readonly string[],
): number | undefined {
  if (start > marked) return undefined;
  const waiting = new Set(pending);
  const firstWaiting = page.find(({ key }) => waiting.has(key));
  const seq = firstWaiting ? firstWaiting.seq - 1 : (page.at(-1)?.seq ?? 0);
  return seq > marked ? seq : undefined;
}

/** The maximum number of keys to compare while other writers wait. If there are more, none are compared. */
const maxCompared = mergeLimits.transaction;

/**
 * Finds the keys that differ between the two branches after the merge. Keys that the merge applies or finds
 * equal are the same on both sides. Also compares other keys that either branch wrote since the last
 * comparison. If there are too many, returns `undefined` and the earlier result remains valid.
 */
export function* learnDifference(plan: MergePlan): MergeRounds<readonly string[] | undefined> {
  const { sides, decision, page, start, book } = plan;
  const { doc, from, into, lastSeq, madeAt } = sides;
  if (doc === 0) return undefined;
  const before: KnownDifference = sides.known ?? { seq: madeAt, keys: [] };
  const ranges = [
    { branch: from.branch, after: before.seq, upTo: start },
    { branch: from.branch, after: Math.max(before.seq, page.at(-1)?.seq ?? start), upTo: lastSeq },
    { branch: into.branch, after: before.seq, upTo: lastSeq },
  ].filter(({ after, upTo }) => after < upTo);
  const { written = [] } = yield* ask({
    written: ranges.length > 0 ? { doc, ranges, limit: maxCompared + 1 } : undefined,
  });
  const same = sameKeys(decision, [...before.keys, ...written]);
  const unsure = new Set([...before.keys, ...written, ...decision.unsure].filter((key) => !same.has(key)));
  if (written.length > maxCompared || unsure.size > maxCompared) return undefined;
  const unknown = [...unsure].filter((key) => !book.byKey.has(key));
  const { marks = [] } = yield* ask({ marks: marksOf(sides, unknown) });
  const shown = new Map(marks.map((one) => [one.key, one]));
  return [...unsure].filter((key) => {
    const { theirs, ours } = book.byKey.get(key) ?? shown.get(key) ?? {};
    return (theirs?.fingerprint ?? deletedFingerprint) !== (ours?.fingerprint ?? deletedFingerprint);
  });
}

/** Returns the keys in `among` that are the same on both sides after the merge. */
function sameKeys({ settle }: MergeDecision, among: readonly string[]): Set<string> {
  const asked = new Set(among);
  return new Set(asked.size === 0 ? [] : settle.flatMap(({ key }) => (asked.has(key) ? key : [])));
}
