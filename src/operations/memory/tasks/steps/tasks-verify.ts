import { verifyStep } from "../../../../domain/tasks/step-changes.ts";
import { readCheckpoints } from "../change-task.ts";
import { checkpoints } from "../fields.ts";
import { defineStepChange } from "./define-step-change.ts";

export const tasksVerify = defineStepChange({
  name: "tasks_verify",
  title: "Confirm a step",
  summary: "Confirms the criteria and tests of a step; then it can be done.",
  input: { checkpoints },
  errors: ["CONFLICT"],
  examples: [{ title: "everything", given: "a task in focus", input: { path: "s:0", checkpoints: "all" } }],
  decide: (facts, change, { checkpoints: given }) =>
    verifyStep(facts, { ...change, checkpoints: readCheckpoints(given, "tasks_verify") }),
});
