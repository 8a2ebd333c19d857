import { endOfTime } from "../../../../domain/memory/lineage.ts";
import type { MergeKey } from "../../../../domain/memory/merge/decide-merge.ts";
import { mergeLimits } from "../../../../domain/memory/merge/merge-limits.ts";
import { nothing } from "../../../../domain/memory/merge/three-way.ts";
import type { Conflict, GraphMerge, GraphMergeOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import { openForWriting, type VersionContent, writeVersions } from "../graph/write-versions.ts";
import type { Place } from "../places.ts";
import { closeConflicts, countOpenConflicts, openConflicts } from "./conflicts.ts";
import { type Copies, learnDifference } from "./known-difference.ts";
import { beginPage, changedBetween, type MergeSides, openSides } from "./merge-facts.ts";
import { moveMark } from "./merge-marks.ts";
import { type MergePlan, newConflicts, outcomeOf, planAtOnce } from "./plan-merge.ts";
import { settle } from "./settled.ts";

/** Whether a merge has more keys than one transaction takes. */
export function isLarge(place: Place, merge: GraphMerge): boolean {
  const most = mergeLimits.transaction;
  if (merge.limit <= most) return false;
  const sides = openSides(place, merge);
  const { start } = beginPage(sides, merge.after);
  return changedBetween(sides, start, endOfTime, most + 1).length > most;
}

/** What merging would do; for few keys. */
export function previewMerge(place: Place, merge: GraphMerge, at: Date): GraphMergeOutcome {
  const sides = openSides(place, merge);
  return outcomeOf(sides, planAtOnce(sides, merge, at));
}

/** What is written to the target: the source's version, as it stands. */
export const copyOf = ({ key, kind, theirs }: MergeKey): VersionContent => ({
  key,
  kind,
  deleted: theirs?.fingerprint === nothing,
  copyOf: theirs?.seq ?? 0,
});

/** Call inside a write, for few keys: nobody else writes meanwhile. Larger merges go by `mergeInSlices`. */
export function mergeGraph(place: Place, merge: GraphMerge, at: Date): GraphMergeOutcome {
  const sides = openSides(place, merge);
  const plan = planAtOnce(sides, merge, at);
  const { apply } = plan.decision;
  if (apply.length === 0) return concludeMerge(sides, plan, undefined, openConflicts);
  const graph = openForWriting(place, sides.into, merge.doc);
  const last = writeVersions(graph, apply.map(copyOf), at);
  return concludeMerge(sides, plan, { first: last - apply.length + 1, last }, openConflicts);
}

/** Call inside a write, once all versions are there. */
export function concludeMerge(
  sides: MergeSides,
  plan: MergePlan,
  copies: Copies,
  openAll: (sides: MergeSides, conflicts: readonly Conflict[]) => void,
): GraphMergeOutcome {
  const { decision, start, page, at } = plan;
  settle(sides, decision.settle);
  moveMark(sides, start, page, decision.pending);
  closeConflicts(sides.place, decision.moot, "moot", at);
  const conflicts = newConflicts(plan);
  openAll(sides, conflicts);
  learnDifference(sides, plan, copies);
  return {
    ...outcomeOf(sides, plan),
    conflicts: conflicts.map((conflict) => ({ ...conflict, status: "open" })),
    conflictsOpen: countOpenConflicts(sides),
  };
}
