import * as z from "zod";

/** The address of a thought: a number on the main chain or in a branch. */
export type Address = { branchId?: string | undefined; thoughtNumber: number };

export const addressSchema = z.strictObject({
  branchId: z.string().optional(),
  thoughtNumber: z.int().min(1).max(1_000_000),
});

/** Drops all other fields. */
export const addressOf = ({ branchId, thoughtNumber }: Address): Address =>
  branchId === undefined ? { thoughtNumber } : { branchId, thoughtNumber };

/** Numbers repeat in branches, but IDs must not: `{session}:{n}` or `{session}:{branch}:{n}`. */
export function nodeId(sessionId: string, { branchId, thoughtNumber }: Address): string {
  return branchId === undefined
    ? `${sessionId}:${thoughtNumber}`
    : `${sessionId}:${branchId}:${thoughtNumber}`;
}

/** "thought 4", or "thought 4 of branch redis". */
export function describeAddress({ branchId, thoughtNumber }: Address): string {
  return branchId === undefined
    ? `thought ${thoughtNumber}`
    : `thought ${thoughtNumber} of branch ${branchId}`;
}
