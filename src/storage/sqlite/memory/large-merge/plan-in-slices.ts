import { combineFacts, type FactSlice } from "../../../../domain/memory/merge/combine-facts.ts";
import {
  decideMerge,
  type FoundConflict,
  type MergeDecision,
} from "../../../../domain/memory/merge/decide-merge.ts";
import type { Conflict, GraphMergeOutcome } from "../../../../ports/memory/graph.ts";
import { currentSeq } from "../../connection/sequence.ts";
import { countOpenConflicts } from "../graph/conflicts.ts";
import { describeConflict, readStates, summarise } from "../graph/describe-merge.ts";
import {
  changedBetween,
  changedKeys,
  loadOpen,
  loadSlice,
  type MergeSides,
  namesOf,
} from "../graph/merge-facts.ts";
import type { Changed } from "../graph/merge-marks.ts";
import { branchedAt } from "../graph/write-versions.ts";
import { type AppliedKey, readApplied } from "./applied-keys.ts";
import { type MergeTarget, sidesNow } from "./merge-target.ts";
import { type MergeRun, sliceSize, slicesOf, yieldTurn } from "./slices.ts";

export type LargePlan = {
  target: MergeTarget;
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
  applied: Map<string, AppliedKey>;
  /** Those that are new, by key. */
  collisions: Map<string, Conflict>;
  summary: ReturnType<typeof summarise>;
  lastSeq: number;
  hasMore: boolean;
};

/** Decides a page of any size without keeping anybody waiting; writes nothing. */
export async function planInSlices(run: MergeRun, target: MergeTarget, at: Date): Promise<LargePlan> {
  const { merge } = target;
  const begun = await run.read((connection) => {
    const sides = sidesNow(connection, target);
    return {
      ...changedKeys(sides, merge.after, 0),
      readSeq: currentSeq(connection),
      branchedAt: branchedAt({ place: sides.place, bid: sides.into.bid }),
      names: namesOf(sides),
      open: loadOpen(sides),
    };
  });
  const { readSeq, names, open } = begun;
  const changed = await listChanged(run, target, begun.start, readSeq);
  const page = changed.slice(0, merge.limit);
  const slices = [open.slice];
  for (const keys of slicesOf(page.map(({ key }) => key))) {
    slices.push(await run.read((connection) => loadSlice(sidesNow(connection, target), keys)));
    run.tell(keys.length / 4);
    await yieldTurn(run);
  }
  const decision = decideMerge(combineFacts(names, open.conflicts, slices));
  const applied = new Map<string, AppliedKey>();
  for (const keys of slicesOf(decision.apply)) {
    const found = await run.read((connection) => readApplied(sidesNow(connection, target), keys));
    for (const [key, one] of found) applied.set(key, one);
    run.tell(keys.length / 4);
    await yieldTurn(run);
  }
  const collisions = new Map<string, Conflict>();
  for (const found of slicesOf(decision.conflicts.filter(({ isNew }) => isNew))) {
    const described = await run.read((connection) => collide(sidesNow(connection, target), found, at));
    for (const conflict of described) collisions.set(conflict.key, conflict);
    run.tell(found.length / 4);
    await yieldTurn(run);
  }
  return {
    ...{ target, at, readSeq, page, slices, decision, applied, collisions },
    summary: summariseApplied(decision, applied),
    ...{ start: begun.start, settled: begun.settled.keys, branchedAt: begun.branchedAt },
    open: open.conflicts,
    lastSeq: page.at(-1)?.seq ?? merge.after,
    hasMore: changed.length > merge.limit,
  };
}

const listedAtOnce = 8 * sliceSize;

/** The keys of the page and one more. One that changes meanwhile belongs to the next merge. */
async function listChanged(
  run: MergeRun,
  target: MergeTarget,
  start: number,
  readSeq: number,
): Promise<Changed[]> {
  const changed: Changed[] = [];
  const wanted = target.merge.limit + 1;
  for (let after = start; changed.length < wanted; ) {
    const count = Math.min(listedAtOnce, wanted - changed.length);
    const some = await run.read((connection) =>
      changedBetween(sidesNow(connection, target), after, readSeq, count),
    );
    changed.push(...some);
    if (some.length < count) break;
    after = some.at(-1)?.seq ?? readSeq;
    await yieldTurn(run);
  }
  return changed;
}

export const summariseApplied = ({ apply }: MergeDecision, applied: LargePlan["applied"]) =>
  summarise(apply, ({ key }) => applied.get(key)?.fields ?? 0);

export function collide(sides: MergeSides, found: readonly FoundConflict[], at: Date): Conflict[] {
  const states = readStates(
    sides,
    found.map((conflict) => conflict.at),
  );
  return found.map((conflict) => describeConflict(sides, conflict, states, at));
}

export function outcomeOf(sides: MergeSides, plan: LargePlan): GraphMergeOutcome {
  const { decision, settled, summary, lastSeq, hasMore } = plan;
  return {
    merged: decision.apply.length,
    skipped: settled + decision.skipped,
    conflicts: newConflicts(plan),
    conflictsOpen: countOpenConflicts(sides),
    summary: { ...summary, conflicts: decision.conflicts.length },
    lastSeq,
    hasMore,
  };
}

export const newConflicts = ({ decision, collisions }: LargePlan): Conflict[] =>
  decision.conflicts.flatMap(({ isNew, at }) => (isNew ? (collisions.get(at.key) ?? []) : []));
