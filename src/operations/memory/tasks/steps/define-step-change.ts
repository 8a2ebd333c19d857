import * as z from "zod";
import type { TaskDecision, TaskFacts } from "../../../../domain/tasks/decision.ts";
import {
  closeStep,
  decompose,
  defineStep,
  doneStep,
  type StepChange,
  verifyStep,
} from "../../../../domain/tasks/step-changes.ts";
import type { ErrorCode } from "../../../../kernel/errors.ts";
import type { Example, Toolset } from "../../../pipeline/operation.ts";
import { defineMemory } from "../../define-memory.ts";
import {
  changedTask,
  changeTask,
  readCheckpoints,
  refuseTask,
  showChange,
  suggestNext,
  taskOf,
} from "../change-task.ts";
import {
  agent,
  checkpoints,
  expectedRevision,
  newSteps,
  path,
  stepIdField,
  stepLists,
  stepTitle,
  target,
  targetAliases,
} from "../fields.ts";

const place = { path, step_id: stepIdField, target, expected_revision: expectedRevision, agent_id: agent };

type StepTool<Name extends string, Shape extends z.ZodRawShape, Code extends ErrorCode> = {
  name: Name;
  title: string;
  summary: string;
  toolset?: Toolset;
  input: Shape;
  /** Added to the codes that every change to a step declares. */
  errors: readonly Code[];
  examples: readonly Example<z.input<z.ZodObject<Shape & typeof place>>>[];
  decide(facts: TaskFacts, change: StepChange, own: z.output<z.ZodObject<Shape>>): TaskDecision;
};

/** The casts are needed because types cannot express that a shape has the fields of `place`. */
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

export const tasksDefine = defineStepChange({
  name: "tasks_define",
  title: "Define a step",
  summary:
    "Changes the title, criteria, tests or blockers of a step. You must confirm new criteria and tests again.",
  input: { title: stepTitle.optional(), ...stepLists },
  errors: ["CONFLICT"],
  examples: [
    {
      title: "when it is done",
      given: "a task in focus",
      input: { path: "s:1", success_criteria: ["p99 below 50 ms"] },
    },
  ],
  decide: (facts, change, own) => {
    if (Object.values(own).every((value) => value === undefined))
      refuseTask("tasks_define", {
        problem: "Pass at least one field to change.",
        kind: "missing",
        field: "title",
      });
    return defineStep(facts, { ...change, ...own });
  },
});

export const tasksVerify = defineStepChange({
  name: "tasks_verify",
  title: "Confirm a step",
  summary: "Confirms the criteria and tests of a step, so that it can be completed.",
  input: { checkpoints },
  errors: ["CONFLICT"],
  examples: [{ title: "everything", given: "a task in focus", input: { path: "s:0", checkpoints: "all" } }],
  decide: (facts, change, { checkpoints: given }) =>
    verifyStep(facts, { ...change, checkpoints: readCheckpoints(given, "tasks_verify") }),
});

export const tasksDone = defineStepChange({
  name: "tasks_done",
  title: "Complete a step",
  summary: "Completes a step whose criteria and tests are confirmed and whose substeps are done.",
  input: {},
  errors: ["CHECKPOINTS_NOT_CONFIRMED", "CONFLICT"],
  examples: [{ title: "a step without criteria", given: "a task in focus", input: { path: "s:1" } }],
  decide: (facts, change) => doneStep(facts, change),
});

export const tasksCloseStep = defineStepChange({
  name: "tasks_close_step",
  title: "Close a step",
  summary:
    "Completes a step of a task once its criteria and tests pass. context_pack then shows the next step.",
  toolset: "daily",
  input: { checkpoints },
  errors: ["CHECKPOINTS_NOT_CONFIRMED", "CONFLICT"],
  examples: [
    { title: "the first step", given: "a task in focus", input: { path: "s:0", checkpoints: "gate" } },
  ],
  decide: (facts, change, { checkpoints: given }) =>
    closeStep(facts, { ...change, checkpoints: readCheckpoints(given, "tasks_close_step") }),
});

export const tasksDecompose = defineMemory({
  name: "tasks_decompose",
  title: "Add steps",
  summary: "Adds steps to a task, after its existing steps or below one of them.",
  effect: "write",
  input: {
    steps: newSteps.describe("The steps, each with its title, criteria, tests and blockers."),
    parent: z.string().min(1).max(128).optional().describe("Path of the parent step, such as s:0."),
    target,
    expected_revision: expectedRevision,
    agent_id: agent,
  },
  advanced: ["expected_revision", "agent_id"],
  aliases: targetAliases,
  output: changedTask,
  errors: [
    "INVALID_PAYLOAD",
    "UNKNOWN_ID",
    "CONFLICT",
    "REVISION_MISMATCH",
    "STEP_LEASE_HELD",
    "STORAGE_ERROR",
  ],
  examples: [
    {
      title: "below a step",
      given: "a task in focus",
      input: { parent: "s:0", steps: [{ title: "On one host" }] },
    },
  ],

  async handle({ steps, parent, target, expected_revision, agent_id }, memory) {
    const outcome = await changeTask(memory, taskOf(memory, target), agent_id, (facts, agent) =>
      decompose(facts, { steps, parent, expected_revision, agent_id: agent }),
    );
    return showChange(outcome);
  },
});
