import * as z from "zod";

/** The few calls for everyday work. Each runs unchanged, in any workspace and in any order. */
export const goldenPath = (workspace: string) => [
  {
    operation: "context_pack",
    args: { workspace },
    purpose: "Resume: what was decided and rejected, what is open, what is next.",
  },
  { operation: "changes", args: { workspace, since: "me" }, purpose: "See what others have done since." },
  {
    operation: "notes_commit",
    args: { workspace, content: "Nine of ten reads ask for the same rows." },
    purpose: "Write down what you see.",
  },
  {
    operation: "think_card",
    args: { workspace, card: { type: "decision", title: "Cache the reads for 60 s" } },
    purpose: "Record hypotheses, tests, evidence and decisions as cards.",
  },
  {
    operation: "tasks_create",
    args: { workspace, kind: "plan", title: "Faster reads" },
    purpose: "Plan work for several days or agents.",
  },
];

export const goldenPathSchema = z.array(
  z.strictObject({
    operation: z.string(),
    args: z.record(z.string(), z.unknown()),
    purpose: z.string(),
  }),
);
