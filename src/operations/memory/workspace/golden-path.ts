import * as z from "zod";

/** The few calls that carry a day's work, in the order in which they are made. */
export const goldenPath = [
  { operation: "status", purpose: "See where the workspace stands." },
  { operation: "show", purpose: "Read the newest notes before writing." },
  { operation: "macro_branch_note", purpose: "Write down what you try, on a branch of its own." },
  { operation: "commit", purpose: "Record what holds, so that log, tags and reset can reach it." },
] as const;

export const goldenPathSchema = z.array(z.strictObject({ operation: z.string(), purpose: z.string() }));
