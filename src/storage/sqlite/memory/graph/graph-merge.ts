import {
  decideMerge,
  type MergeDecision,
  type MergeKey,
} from "../../../../domain/memory/merge/decide-merge.ts";
import { nothing } from "../../../../domain/memory/merge/three-way.ts";
import type { GraphMerge, GraphMergeOutcome } from "../../../../ports/memory/graph.ts";
import type { Place } from "../places.ts";
import { closeConflicts, countOpenConflicts, openConflict } from "./conflicts.ts";
import { countChangedFields, describeConflict, readStates, summarise } from "./describe-merge.ts";
import { changedKeys, loadMergeFacts, type MergeSides, openSides } from "./merge-facts.ts";
import { type Changed, moveMark } from "./merge-marks.ts";
import { settle } from "./settled.ts";
import { openForWriting, type VersionContent, writeVersions } from "./write-versions.ts";

type MergePlan = {
  sides: MergeSides;
  start: number;
  page: Changed[];
  decision: MergeDecision;
  outcome: GraphMergeOutcome;
};

/** Decides for each key that `from` changed; writes nothing. */
export function planGraphMerge(place: Place, merge: GraphMerge, at: Date): MergePlan {
  const sides = openSides(place, merge);
  const { changed, start, settled } = changedKeys(sides, merge.after, merge.limit + 1);
  const page = changed.slice(0, merge.limit);
  const decision = decideMerge(
    loadMergeFacts(
      sides,
      page.map(({ key }) => key),
    ),
  );
  const states = readStates(sides, [...decision.apply, ...decision.conflicts.map(({ at }) => at)]);
  const summary = summarise(decision.apply, (key) => countChangedFields(key, states));
  const conflicts = decision.conflicts.map((conflict) => describeConflict(sides, conflict, states, at));
  const outcome = {
    merged: decision.apply.length,
    skipped: settled.keys + decision.skipped,
    conflicts: conflicts.filter((_, n) => decision.conflicts[n]?.isNew),
    conflictsOpen: countOpenConflicts(sides),
    summary: { ...summary, conflicts: conflicts.length },
    lastSeq: page.at(-1)?.seq ?? (settled.keys > 0 ? settled.lastSeq : merge.after),
    hasMore: changed.length > merge.limit,
  };
  return { sides, start, page, decision, outcome };
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
  const { sides, start, page, decision, outcome } = planGraphMerge(place, merge, at);
  const { apply, moot, pending } = decision;
  if (apply.length > 0) {
    const graph = openForWriting(place, sides.into, merge.doc);
    writeVersions(graph, apply.map(copyOf), at);
  }
  settle(sides, decision.settle);
  moveMark(sides, start, page, pending);
  closeConflicts(place, moot, "moot", at);
  for (const conflict of outcome.conflicts) openConflict(sides, conflict);
  return {
    ...outcome,
    conflictsOpen: countOpenConflicts(sides),
    conflicts: outcome.conflicts.map((conflict) => ({ ...conflict, status: "open" })),
  };
}
