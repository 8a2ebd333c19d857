import * as z from "zod";
import { taskLimits } from "../../../domain/tasks/item.ts";
import { noteStep } from "../../../domain/tasks/step-changes.ts";
import { defineStepChange } from "./steps/define-step-change.ts";

export const tasksNote = defineStepChange({
  name: "tasks_note",
  title: "Note on a task",
  summary: "Notes something about a step, or the task as a whole; it stands in the notes and in the trace.",
  input: { note: z.string().min(1).max(taskLimits.text).describe("What to keep.") },
  errors: [],
  examples: [
    { title: "on a step", given: "a task in focus", input: { path: "s:0", note: "Fails only above 5 MB." } },
  ],
  decide: (facts, change, { note }) => noteStep(facts, { ...change, note }),
});
