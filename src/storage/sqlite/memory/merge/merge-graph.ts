import { resolveConflict as planResolution } from "../../../../domain/memory/merge/decide-resolution.ts";
import { learnDifference } from "../../../../domain/memory/merge/known-difference.ts";
import { mergeLimits } from "../../../../domain/memory/merge/merge-limits.ts";
import { type MergeRounds, runRounds } from "../../../../domain/memory/merge/merge-questions.ts";
import { concludeMerge, copyVersions } from "../../../../domain/memory/merge/merge-writes.ts";
import {
  type AskedMerge,
  outcomeOf,
  planMerge,
  previewOf,
} from "../../../../domain/memory/merge/plan-merge.ts";
import type { GraphMerge, GraphMergeOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import type { StepInput, StepOutcome } from "../../../../domain/memory/steps/step.ts";
import { reachSeq } from "../../connection/sequence.ts";
import { contentOf, openForWriting, writeVersions } from "../graph/write-versions.ts";
import type { Place } from "../places.ts";
import { answerMerge } from "./answer-merge.ts";
import {
  closeConflicts,
  insertCopies,
  openGraph,
  settle,
  supersede,
  writeConclusion,
} from "./write-merge.ts";

export const askedOf = (workspace: string, { from, into, ...rest }: GraphMerge): AskedMerge => ({
  ...rest,
  workspace,
  from: { name: from },
  into: { name: into },
});

/** Everything in one transaction. */
export const inPlace = <Result>(place: Place, rounds: MergeRounds<Result>): Result =>
  runRounds(rounds, (needs) => answerMerge(place, needs));

/** What merging would do. `undefined` if there are more keys than `atOnce`. */
export function previewMerge(
  place: Place,
  merge: GraphMerge,
  at: Date,
  atOnce: number,
): GraphMergeOutcome | undefined {
  const plan = inPlace(place, planMerge(askedOf(place.workspace, merge), at, { atOnce }));
  return plan && previewOf(plan);
}

/** Call inside a write, for few keys: other writers wait meanwhile. */
export function mergeGraph(place: Place, merge: GraphMerge, at: Date): GraphMergeOutcome {
  const merged = mergeAtOnce(place, merge, at, merge.limit ?? mergeLimits.keys);
  if (!merged) throw new Error("a merge has no more keys than its limit");
  return merged;
}

/** Call inside a write. `undefined` if there are more keys than `atOnce`: then nothing was written. */
export function mergeAtOnce(
  place: Place,
  merge: GraphMerge,
  at: Date,
  atOnce: number,
): GraphMergeOutcome | undefined {
  const plan = inPlace(place, planMerge(askedOf(place.workspace, merge), at, { atOnce }));
  if (!plan) return undefined;
  const { sides, decision, tally } = plan;
  const differing = inPlace(place, learnDifference(plan));
  const firstSeq = sides.lastSeq + 1;
  const { versions, superseded } = copyVersions(plan, decision.apply, tally, firstSeq);
  const lastSeq = versions.at(-1)?.seq ?? sides.lastSeq;
  if (versions.length > 0) {
    // First, so that a merge that is staged there gives way.
    reachSeq(place.connection, lastSeq);
    openGraph(place, sides, firstSeq);
    supersede(place, sides, superseded);
    insertCopies(place, sides, versions, at);
  }
  writeConclusion(place, sides, concludeMerge(plan, differing, lastSeq), at);
  return outcomeOf(plan);
}

/** Call inside a write. Resolving the same way again is no news; the other way is refused. */
export function resolveConflict(
  place: Place,
  { id, resolution }: StepInput<"resolve_conflict">,
  at: Date,
): StepOutcome<"resolve_conflict"> {
  const resolved = inPlace(place, planResolution(place.workspace, id, resolution));
  if (!resolved) return { applied: false };
  const { sides, decision } = resolved;
  if (decision.writes.length > 0) {
    const graph = openForWriting(place, { bid: sides.into.branch }, sides.docName);
    writeVersions(graph, decision.writes.map(contentOf), at);
  }
  settle(place, sides, decision.settle);
  // The decision may settle a key with what only one of the two branches has.
  place.connection.sql("DELETE FROM graph_merged WHERE bid = ? AND doc = ?").run(sides.child, sides.doc);
  closeConflicts(place, [id], resolution, at);
  return { applied: resolution === "use_from" };
}
