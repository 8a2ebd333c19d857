import { defineStep } from "../../../../domain/tasks/step-changes.ts";
import { refuseTask } from "../change-task.ts";
import { stepLists, stepTitle } from "../fields.ts";
import { defineStepChange } from "./define-step-change.ts";

export const tasksDefine = defineStepChange({
  name: "tasks_define",
  title: "Define a step",
  summary: "Changes the title, criteria, tests or blockers of a step; what is new has to be confirmed again.",
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
        problem: "Nothing to change is given.",
        kind: "missing",
        field: "title",
      });
    return defineStep(facts, { ...change, ...own });
  },
});
