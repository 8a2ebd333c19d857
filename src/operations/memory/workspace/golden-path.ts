import * as z from "zod";

/** The few calls that carry a day's work, in the order in which they are made. */
export const goldenPath = [
  { operation: "context_pack", purpose: "Resume: where, why, next, decisions and their evidence." },
  { operation: "tasks_create", purpose: "Plan: a plan, then a task with steps that say when they are done." },
  { operation: "tasks_focus_set", purpose: "Make the task what calls without a target mean." },
  {
    operation: "think_card",
    purpose: "Think: hypotheses, questions and tests as cards, linked to each other.",
  },
  {
    operation: "think_pipeline",
    purpose: "Decide: evidence and the decision that rests on it, in one step.",
  },
  { operation: "tasks_close_step", purpose: "Prove: confirm criteria and tests, and complete the step." },
] as const;

export const goldenPathSchema = z.array(z.strictObject({ operation: z.string(), purpose: z.string() }));
