import type * as z from "zod";
import type { TaskDecision, TaskFacts } from "../../../../domain/tasks/decision.ts";
import type { StepChange } from "../../../../domain/tasks/step-changes.ts";
import type { ErrorCode } from "../../../../kernel/errors.ts";
import type { Example, Toolset } from "../../../pipeline/operation.ts";
import { defineMemory } from "../../define-memory.ts";
import { changedTask, changeTask, showChange, suggestNext, taskOf } from "../change-task.ts";
import { agent, expectedRevision, path, stepIdField, target, targetAliases } from "../fields.ts";

const place = { path, step_id: stepIdField, target, expected_revision: expectedRevision, agent_id: agent };

type StepTool<Name extends string, Shape extends z.ZodRawShape, Code extends ErrorCode> = {
  name: Name;
  title: string;
  summary: string;
  toolset?: Toolset;
  input: Shape;
  /** Codes besides those of every change to a step. */
  errors: readonly Code[];
  examples: readonly Example<z.input<z.ZodObject<Shape & typeof place>>>[];
  decide(facts: TaskFacts, change: StepChange, own: z.output<z.ZodObject<Shape>>): TaskDecision;
};

/** Tools that change one step of a task. The casts are where types cannot see that a shape has the fields of `place`. */
export function defineStepChange<
  const Name extends string,
  Shape extends z.ZodRawShape,
  const Code extends ErrorCode = never,
>({ input, errors, examples, decide, ...head }: StepTool<Name, Shape, Code>) {
  return defineMemory({
    ...head,
    effect: "write",
    input: { ...input, ...place },
    advanced: ["expected_revision", "agent_id", "step_id"] as never,
    aliases: targetAliases as never,
    output: changedTask,
    errors: [
      ...([
        "INVALID_PAYLOAD",
        "UNKNOWN_ID",
        "REVISION_MISMATCH",
        "STEP_LEASE_HELD",
        "STORAGE_ERROR",
      ] as const),
      ...errors,
    ],
    examples: examples as never,
    async handle(given, memory) {
      const { path, step_id, target, expected_revision, agent_id, ...own } = given as z.output<
        z.ZodObject<typeof place>
      >;
      const outcome = await changeTask(memory, taskOf(memory, target), agent_id, (facts, agent) =>
        decide(
          facts,
          { path, step_id, expected_revision, agent_id: agent },
          own as z.output<z.ZodObject<Shape>>,
        ),
      );
      suggestNext(memory, outcome);
      return showChange(outcome) as never;
    },
  });
}
