import { type MergeRounds, runRounds } from "../../../../domain/memory/merge/merge-questions.ts";
import { type AskedMerge, planMerge, previewOf } from "../../../../domain/memory/merge/plan-merge.ts";
import type { GraphMerge, GraphMergeOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import type { Place } from "../places.ts";
import { answerMerge } from "./answer-merge.ts";

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
