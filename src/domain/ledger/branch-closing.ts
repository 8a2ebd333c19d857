import * as z from "zod";
import { branchIdPattern } from "./limits.ts";
import type { Address, ChainedThought } from "./thought.ts";

export const branchOutcomes = ["merged", "abandoned"] as const;
export type BranchOutcome = (typeof branchOutcomes)[number];

/** Returns the text of a thought that closes a branch. Only this text records the closing. */
export const closingText = (branchId: string, outcome: BranchOutcome, lesson: string): string =>
  `Branch ${branchId} ${outcome}: ${lesson}`;

const form = /^Branch (?<branchId>[a-z0-9-]{1,64}) (?<outcome>merged|abandoned): (?<lesson>\S[\s\S]*)$/;

export const closesSchema = z.strictObject({ branchId: z.string(), outcome: z.enum(branchOutcomes) });
export type Closing = z.infer<typeof closesSchema> & { lesson: string };

/** Returns the branch that a thought closes, or `undefined` for most thoughts. */
export function closingOf(text: string): Closing | undefined {
  const { branchId, outcome, lesson } = form.exec(text)?.groups ?? {};
  if (branchId === undefined || lesson === undefined || !branchIdPattern.test(branchId)) return undefined;
  return { branchId, outcome: outcome as BranchOutcome, lesson: lesson.trim() };
}

/** By branch ID. If several thoughts close a branch, the first one applies. */
export type Closings = ReadonlyMap<string, Closing & { by: Address; thought: ChainedThought }>;

export function closingsIn(thoughts: readonly ChainedThought[]): Closings {
  const closings = new Map<string, Closing & { by: Address; thought: ChainedThought }>();
  for (const thought of thoughts) {
    const { branchId, thoughtNumber, thought: text } = thought.data;
    const closing = closingOf(text);
    // Ignores a thought that closes its own branch.
    if (!closing || closing.branchId === branchId || closings.has(closing.branchId)) continue;
    const by = branchId === undefined ? { thoughtNumber } : { branchId, thoughtNumber };
    closings.set(closing.branchId, { ...closing, by, thought });
  }
  return closings;
}
