import * as z from "zod";

/** The few calls that carry a day's work, in the order in which they are made; as they stand they go through. */
export const goldenPath = [
  {
    operation: "context_pack",
    args: {},
    purpose: "Resume: where, why, next, decisions and their evidence.",
  },
  { operation: "show", args: { doc_kind: "notes" }, purpose: "Read the newest notes." },
  { operation: "tasks_create", args: { kind: "plan", title: "Faster reads" }, purpose: "Plan." },
  {
    operation: "tasks_create",
    args: {
      kind: "task",
      parent: "PLAN-001",
      title: "Cache the reads",
      steps: [{ title: "Measure", success_criteria: ["p99 is known"] }],
    },
    purpose: "A task of the plan, with steps that say when they are done.",
  },
  {
    operation: "tasks_focus_set",
    args: { task: "TASK-001" },
    purpose: "Make the task what calls without a target mean.",
  },
  {
    operation: "think_card",
    args: { card: { type: "hypothesis", title: "Most reads ask for the same rows" } },
    purpose: "Think: hypotheses, questions and tests as cards, linked to each other.",
  },
  {
    operation: "think_pipeline",
    args: {
      evidence: { title: "Nine of ten reads repeat", text: "CMD: npm run measure" },
      decision: { title: "Cache the reads for 60 s" },
    },
    purpose: "Decide: evidence and the decision that rests on it, in one step.",
  },
  {
    operation: "tasks_close_step",
    args: { path: "s:0", checkpoints: "gate" },
    purpose: "Prove: confirm criteria and tests, and complete the step.",
  },
];

export const goldenPathSchema = z.array(
  z.strictObject({
    operation: z.string(),
    args: z.record(z.string(), z.unknown()),
    purpose: z.string(),
  }),
);
