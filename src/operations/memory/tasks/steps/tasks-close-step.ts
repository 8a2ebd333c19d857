import { closeStep } from "../../../../domain/tasks/step-changes.ts";
import { readCheckpoints } from "../change-task.ts";
import { checkpoints } from "../fields.ts";
import { defineStepChange } from "./define-step-change.ts";

export const tasksCloseStep = defineStepChange({
  name: "tasks_close_step",
  title: "Close a step",
  summary: "Confirms the criteria and tests of a step and completes it.",
  toolset: "daily",
  input: { checkpoints },
  errors: ["CHECKPOINTS_NOT_CONFIRMED", "CONFLICT"],
  examples: [
    { title: "the first step", given: "a task in focus", input: { path: "s:0", checkpoints: "gate" } },
  ],
  decide: (facts, change, { checkpoints: given }) =>
    closeStep(facts, { ...change, checkpoints: readCheckpoints(given, "tasks_close_step") }),
});
