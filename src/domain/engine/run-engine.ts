import {
  type Action,
  type Calls,
  type Finding,
  orderActions,
  orderSignals,
  type Signal,
} from "./findings.ts";
import {
  changedAssumption,
  contradiction,
  lowConfidence,
  type Rule,
  tradeOffNamed,
  unopposed,
  unprovenHypothesis,
  unpublishedDecision,
  untestedHypothesis,
  weakEvidence,
} from "./rules.ts";
import { linkSlice, type Slice } from "./slice.ts";
import { staleEvidence, stuck, testToRun } from "./test-rules.ts";

export type EngineOptions = {
  calls: Calls;
  /** Findings about cards with this tag are listed first. */
  stepTag?: string | undefined;
  staleAfterDays?: number | undefined;
  signalsLimit: number;
  actionsLimit: number;
};

export type Engine = {
  version: string;
  mode?: "step_aware";
  step_tag?: string;
  signals: Signal[];
  actions: Action[];
  signals_total: number;
  actions_total: number;
  truncated: boolean;
};

export const defaultStaleDays = 30;

const rules: readonly Rule[] = [
  unpublishedDecision,
  untestedHypothesis,
  unprovenHypothesis,
  contradiction,
  weakEvidence,
  lowConfidence,
  changedAssumption,
  tradeOffNamed,
  testToRun,
  unopposed,
];

/**
 * Reports what the slice lacks and how to fix it. The result depends only on the arguments, so the same slice always
 * gives the same bytes.
 */
export function runEngine(slice: Slice, options: EngineOptions): Engine {
  const { calls, stepTag, signalsLimit, actionsLimit } = options;
  const linked = linkSlice(slice);
  const findings = [
    ...[...rules, staleEvidence(options.staleAfterDays ?? defaultStaleDays)].flatMap((rule) =>
      rule(linked, calls),
    ),
    ...stuck(slice.trace ?? [], calls),
  ];
  const isOfStep = ({ about }: Finding): boolean =>
    stepTag !== undefined && about?.tags.includes(stepTag) === true;
  const signals = orderSignals(findings, isOfStep);
  const actions = orderActions(findings, isOfStep);
  return {
    version: "1",
    ...(stepTag !== undefined && { mode: "step_aware" as const, step_tag: stepTag }),
    signals: signals.slice(0, signalsLimit),
    actions: actions.slice(0, actionsLimit),
    signals_total: signals.length,
    actions_total: actions.length,
    truncated: signals.length > signalsLimit || actions.length > actionsLimit,
  };
}
