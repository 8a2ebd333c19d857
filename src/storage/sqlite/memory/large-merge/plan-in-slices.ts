import { combineFacts, type FactSlice } from "../../../../domain/memory/merge/combine-facts.ts";
import {
  decideMerge,
  type MergeDecision,
  type MergeKey,
} from "../../../../domain/memory/merge/decide-merge.ts";
import type { Conflict, GraphMergeOutcome } from "../../../../ports/memory/graph.ts";
import { currentSeq } from "../../connection/sequence.ts";
import { countOpenConflicts } from "../graph/conflicts.ts";
import { addSummaries, describeConflict, noChanges, readStates, summarise } from "../graph/describe-merge.ts";
import { changedKeys, loadOpen, loadSlice, type MergeSides, namesOf } from "../graph/merge-facts.ts";
import { branchedAt } from "../graph/write-versions.ts";
import { type MergeTarget, sidesNow } from "./merge-target.ts";
import { type MergeRun, slicesOf, yieldTurn } from "./slices.ts";

export type LargePlan = {
  target: MergeTarget;
  at: Date;
  /** What was written later has to be looked at again. */
  readSeq: number;
  /** When a branch was last made from the target; one made later shows what the merge is about to replace. */
  branchedAt: number;
  /** The keys of this page, in the order in which the source changed them. */
  page: readonly string[];
  open: ReturnType<typeof loadOpen>["conflicts"];
  slices: readonly FactSlice[];
  decision: MergeDecision;
  details: Map<string, KeyDetails>;
  lastSeq: number;
  hasMore: boolean;
};

/** What is told of a key that is applied or collides. */
type KeyDetails = { summary: typeof noChanges; conflict?: Conflict };

/** Decides a page of any size without keeping anybody waiting; writes nothing. */
export async function planInSlices(run: MergeRun, target: MergeTarget, at: Date): Promise<LargePlan> {
  const { merge } = target;
  const start = await run.read((connection) => {
    const sides = sidesNow(connection, target);
    const changed = changedKeys(sides, merge.after, merge.limit + 1);
    return {
      readSeq: currentSeq(connection),
      branchedAt: branchedAt({ place: sides.place, bid: sides.into.bid }),
      changed,
      names: namesOf(sides),
      open: loadOpen(sides),
    };
  });
  const { readSeq, names, open } = start;
  const changed = start.changed.slice(0, merge.limit);
  const page = changed.map(({ key }) => key);
  const slices = [open.slice];
  for (const keys of slicesOf(page)) {
    slices.push(await run.read((connection) => loadSlice(sidesNow(connection, target), keys)));
    run.tell(keys.length / 4);
    await yieldTurn(run);
  }
  const decision = decideMerge(combineFacts(names, open.conflicts, slices));
  const details = new Map<string, KeyDetails>();
  for (const keys of slicesOf(toldKeys(decision))) {
    const found = await run.read((connection) => detailsOf(sidesNow(connection, target), decision, keys, at));
    for (const [key, detail] of found) details.set(key, detail);
    run.tell(keys.length / 4);
    await yieldTurn(run);
  }
  return {
    ...{ target, at, readSeq, page, slices, decision, details },
    branchedAt: start.branchedAt,
    open: open.conflicts,
    lastSeq: changed.at(-1)?.seq ?? merge.after,
    hasMore: start.changed.length > merge.limit,
  };
}

export const toldKeys = ({ apply, conflicts }: MergeDecision): MergeKey[] => [
  ...new Set([...apply, ...conflicts.filter(({ isNew }) => isNew).map(({ at }) => at)]),
];

export function detailsOf(
  sides: MergeSides,
  { apply, conflicts }: MergeDecision,
  keys: readonly MergeKey[],
  at: Date,
): Map<string, KeyDetails> {
  const states = readStates(sides, keys);
  const collisions = new Map(conflicts.filter(({ isNew }) => isNew).map((found) => [found.at.key, found]));
  const applied = new Set(apply);
  return new Map(
    keys.map((key) => {
      const found = collisions.get(key.key);
      return [
        key.key,
        {
          summary: applied.has(key) ? summarise([key], states) : noChanges,
          ...(found && { conflict: describeConflict(sides, found, states, at) }),
        },
      ];
    }),
  );
}

export function outcomeOf(sides: MergeSides, plan: LargePlan): GraphMergeOutcome {
  const { decision, details, lastSeq, hasMore } = plan;
  const summaries = decision.apply.flatMap(({ key }) => details.get(key)?.summary ?? []);
  return {
    merged: decision.apply.length,
    skipped: decision.skipped,
    conflicts: newConflicts(plan),
    conflictsOpen: countOpenConflicts(sides),
    summary: { ...addSummaries(summaries), conflicts: decision.conflicts.length },
    lastSeq,
    hasMore,
  };
}

export const newConflicts = ({ decision, details }: LargePlan): Conflict[] =>
  decision.conflicts.flatMap(({ isNew, at }) => (isNew ? (details.get(at.key)?.conflict ?? []) : []));
