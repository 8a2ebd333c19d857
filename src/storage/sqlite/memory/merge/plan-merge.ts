import { combineFacts, type FactSlice } from "../../../../domain/memory/merge/combine-facts.ts";
import { type ChangeCounts, countChanges } from "../../../../domain/memory/merge/count-changes.ts";
import {
  decideMerge,
  type FoundConflict,
  type MergeDecision,
} from "../../../../domain/memory/merge/decide-merge.ts";
import { mergeLimits } from "../../../../domain/memory/merge/merge-limits.ts";
import type { Conflict, GraphMerge, GraphMergeOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import { currentSeq } from "../../connection/sequence.ts";
import { branchedAt } from "../graph/write-versions.ts";
import { type AppliedKey, readApplied } from "./applied-keys.ts";
import { countOpenConflicts } from "./conflicts.ts";
import { describeConflict, readStates } from "./describe-merge.ts";
import { beginPage, changedBetween, loadOpen, loadSlice, type MergeSides, namesOf } from "./merge-facts.ts";
import type { Changed } from "./merge-marks.ts";

export type MergePlan = {
  at: Date;
  /** What was written later has to be looked at again. */
  readSeq: number;
  /** When a branch was last made from the target; one made later shows what the merge is about to replace. */
  branchedAt: number;
  /** The keys of this page, in the order in which the source changed them, and behind which number it begins. */
  page: readonly Changed[];
  start: number;
  /** Keys before it that are known to be settled. */
  settled: number;
  open: ReturnType<typeof loadOpen>["conflicts"];
  slices: readonly FactSlice[];
  decision: MergeDecision;
  applied: ReadonlyMap<string, AppliedKey>;
  /** Those that are new, by key. */
  collisions: ReadonlyMap<string, Conflict>;
  counts: ChangeCounts;
  lastSeq: number;
  hasMore: boolean;
};

/**
 * What a plan reads in one go, which may be read again where the store was busy; or a moment at which others may have
 * their turn, with how much of the merge was done since the one before, in keys.
 */
export type Piece = { read(sides: MergeSides): void } | { progress: number };

/**
 * Decides a page of any size; writes nothing. Whoever runs it decides when each piece is read: all of them within one
 * transaction, or one by one with turns for others in between.
 */
export function* planMerge(merge: GraphMerge, at: Date): Generator<Piece, MergePlan> {
  const begun = yield* ask((sides) => ({
    ...beginPage(sides, merge.after),
    readSeq: currentSeq(sides.place.connection),
    branchedAt: branchedAt({ place: sides.place, bid: sides.into.bid }),
    names: namesOf(sides),
    open: loadOpen(sides),
  }));
  const { start, settled, readSeq, names, open } = begun;
  const changed = yield* listChanged(start, readSeq, merge.limit + 1);
  const page = changed.slice(0, merge.limit);
  const slices = [open.slice];
  for (const some of slicesOf(page)) {
    const keys = some.map(({ key }) => key);
    slices.push(yield* ask((sides) => loadSlice(sides, keys)));
    yield { progress: keys.length / 4 };
  }
  const decision = decideMerge(combineFacts(names, open.conflicts, slices));
  const applied = new Map<string, AppliedKey>();
  for (const keys of slicesOf(decision.apply)) {
    for (const [key, one] of yield* ask((sides) => readApplied(sides, keys))) applied.set(key, one);
    yield { progress: keys.length / 4 };
  }
  const collisions = new Map<string, Conflict>();
  for (const found of slicesOf(decision.conflicts.filter(({ isNew }) => isNew))) {
    for (const conflict of yield* ask((sides) => collide(sides, found, at)))
      collisions.set(conflict.key, conflict);
    yield { progress: found.length / 4 };
  }
  return {
    at,
    readSeq,
    branchedAt: begun.branchedAt,
    page,
    start,
    settled: settled.keys,
    open: open.conflicts,
    slices,
    decision,
    applied,
    collisions,
    counts: countApplied(decision, applied),
    lastSeq: page.at(-1)?.seq ?? (settled.keys > 0 ? settled.lastSeq : merge.after),
    hasMore: changed.length > merge.limit,
  };
}

/** All of it in this transaction. */
export function planAtOnce(sides: MergeSides, merge: GraphMerge, at: Date): MergePlan {
  const pieces = planMerge(merge, at);
  for (let step = pieces.next(); ; step = pieces.next()) {
    if (step.done) return step.value;
    if ("read" in step.value) step.value.read(sides);
  }
}

function* ask<Found>(read: (sides: MergeSides) => Found): Generator<Piece, Found> {
  const answer: { found?: Found } = {};
  yield {
    read(sides) {
      answer.found = read(sides);
    },
  };
  return answer.found as Found;
}

export function* slicesOf<Item>(items: readonly Item[], size: number = mergeLimits.slice): Generator<Item[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

const listedAtOnce = 8 * mergeLimits.slice;

/** One that changes meanwhile belongs to the next merge. */
function* listChanged(start: number, readSeq: number, wanted: number): Generator<Piece, Changed[]> {
  const changed: Changed[] = [];
  for (let after = start; changed.length < wanted; ) {
    const [from, count] = [after, Math.min(listedAtOnce, wanted - changed.length)];
    const some = yield* ask((sides) => changedBetween(sides, from, readSeq, count));
    changed.push(...some);
    if (some.length < count) break;
    after = some.at(-1)?.seq ?? readSeq;
    yield { progress: 0 };
  }
  return changed;
}

export const countApplied = ({ apply }: MergeDecision, applied: MergePlan["applied"]): ChangeCounts =>
  countChanges(apply, ({ key }) => applied.get(key)?.fields ?? 0);

export function collide(sides: MergeSides, found: readonly FoundConflict[], at: Date): Conflict[] {
  const states = readStates(
    sides,
    found.map((conflict) => conflict.at),
  );
  return found.map((conflict) => describeConflict(sides, conflict, states, at));
}

export function outcomeOf(sides: MergeSides, plan: MergePlan): GraphMergeOutcome {
  const { decision, page, settled, counts, lastSeq, hasMore } = plan;
  return {
    merged: decision.apply.length,
    skipped: settled + decision.skipped,
    looked: settled + page.length,
    conflicts: newConflicts(plan),
    conflictsOpen: countOpenConflicts(sides),
    summary: { ...counts, conflicts: decision.conflicts.length },
    lastSeq,
    hasMore,
  };
}

export const newConflicts = ({ decision, collisions }: MergePlan): Conflict[] =>
  decision.conflicts.flatMap(({ isNew, at }) => (isNew ? (collisions.get(at.key) ?? []) : []));
