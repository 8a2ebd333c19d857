import { append } from "./documents.ts";
import type { Deciding, Draft } from "./draft.ts";
import { applyGraph } from "./graph.ts";
import type { MemoryStep, StepInput, StepName, StepOutcome } from "./step.ts";

type Rules = {
  [Name in StepName]?: (draft: Draft, input: StepInput<Name>) => Deciding<StepOutcome<Name>>;
};

const rules: Rules = { append, apply_graph: applyGraph };

export const isDecided = ({ do: name }: MemoryStep): boolean => rules[name] !== undefined;

export function decideStep(draft: Draft, step: MemoryStep): Deciding<unknown> {
  const { do: name, ...input } = step;
  const rule = rules[name] as (draft: Draft, input: unknown) => Deciding<unknown>;
  return rule(draft, input);
}
