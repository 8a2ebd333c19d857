import { doneStep } from "../../../../domain/tasks/step-changes.ts";
import { defineStepChange } from "./define-step-change.ts";

export const tasksDone = defineStepChange({
  name: "tasks_done",
  title: "Complete a step",
  summary: "Completes a step whose criteria and tests are confirmed and that has nothing open below it.",
  input: {},
  errors: ["CHECKPOINTS_NOT_CONFIRMED", "CONFLICT"],
  examples: [{ title: "a step without criteria", given: "a task in focus", input: { path: "s:1" } }],
  decide: (facts, change) => doneStep(facts, change),
});
