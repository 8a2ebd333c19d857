import type { MemoryStep, StepInput, StepName, StepOutcome } from "../../../domain/memory/steps/step.ts";
import { deleteBranch } from "./branches.ts";
import { mergeNotes } from "./documents/merge-notes.ts";
import type { Place } from "./places.ts";

type StepHandlers = {
  [Name in StepName]?: (place: Place, input: StepInput<Name>, at: Date) => StepOutcome<Name>;
};

const stepHandlers: StepHandlers = {
  delete_branch: deleteBranch,
  merge_notes: mergeNotes,
};

export function doStep(place: Place, step: MemoryStep, at: Date): unknown {
  const { do: name, ...input } = step;
  return (stepHandlers[name] as (place: Place, input: unknown, at: Date) => unknown)(place, input, at);
}
