import type { ThoughtboxError } from "../../../kernel/errors.ts";
import { quote } from "../../../kernel/text.ts";
import { cardFailure, nameOf } from "./card.ts";
import type { PlannedCard } from "./decide-cards.ts";
import { readCard } from "./read-card.ts";

export const pipelineStages = ["frame", "hypothesis", "test", "evidence", "decision"] as const;
export type PipelineStage = (typeof pipelineStages)[number];

export type Pipeline = { [Stage in PipelineStage]?: unknown } & {
  status?: Readonly<Record<string, unknown>> | undefined;
};

/** Returns one card per given stage. Each card is linked to the one before it. */
export function readPipeline(given: Pipeline): PlannedCard[] {
  const stages = pipelineStages.filter((stage) => given[stage] !== undefined);
  if (stages.length === 0)
    throw refuse("Pass at least one of frame, hypothesis, test, evidence or decision.", {
      kind: "missing",
      field: "frame",
      expected: [...pipelineStages],
    });
  const statuses = readStatuses(given.status ?? {}, stages);
  return stages.map((stage) => {
    const card = readCard(given[stage], stage);
    return { ...card, status: statuses.get(stage) ?? card.status, afterPrevious: true };
  });
}

function readStatuses(
  status: Readonly<Record<string, unknown>>,
  stages: readonly PipelineStage[],
): Map<string, string> {
  const read = new Map<string, string>();
  for (const [stage, value] of Object.entries(status)) {
    if (!stages.some((given) => given === stage))
      throw refuse(`status.${quote(stage, 40)} names a stage that you did not pass.`, {
        kind: "type",
        field: "status",
        expected: [...stages],
      });
    if (typeof value !== "string" || value.trim() === "" || value.length > 64)
      throw refuse(`status.${stage} must be a word such as open or accepted.`, {
        kind: "type",
        field: `status.${stage}`,
        expected: "string",
      });
    read.set(stage, value.trim().toLowerCase());
  }
  return read;
}

export function decisionNote(cards: readonly PlannedCard[], ids: readonly string[]): string | undefined {
  const at = cards.findIndex(({ type }) => type === "decision");
  const decision = cards[at];
  if (!decision) return undefined;
  const name = (index: number) => nameOf({ ...cards[index], id: ids[index] ?? "" });
  const basis = cards.slice(0, at).map(({ type }, index) => `- ${type} ${ids[index]}: ${name(index)}`);
  return [
    `${name(at)} (${ids[at]}, ${decision.status})`,
    ...(decision.title !== undefined && decision.text !== undefined ? ["", decision.text] : []),
    ...(basis.length > 0 ? ["", "Rests on:", ...basis] : []),
  ].join("\n");
}

type Hint = { kind: string; field: string; expected?: unknown };

const refuse = (problem: string, hint: Hint): ThoughtboxError =>
  cardFailure("invalid_pipeline", { problem, ...hint });
