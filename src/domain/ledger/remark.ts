import * as z from "zod";
import { limits } from "./limits.ts";
import { type Address, addressOf, addressSchema, nodeId } from "./thought.ts";

export const longestComment = 4_000;

/** A person's remark on a thought. `withdraws` is the ID of a comment that the person withdrew. */
export const remarkSchema = z.strictObject({
  id: z.string().regex(/^[\w-]{1,64}$/),
  kind: z.enum(["comment", "star", "unstar", "withdraw"]),
  ...addressSchema.shape,
  branchId: z.string().min(1).max(limits.branchId).optional(),
  text: z.string().min(1).max(longestComment).optional(),
  withdraws: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
  at: z.iso.datetime({ offset: true }),
});
export type Remark = z.infer<typeof remarkSchema>;

/** The remarks on one thought, without withdrawn ones. */
export type ThoughtRemarks = Address & {
  starredAt?: string;
  comments: { id: string; text: string; at: string }[];
};

/**
 * Derives the current remarks from all remark events, in order. The events themselves never change. Omits thoughts
 * whose remarks were all withdrawn. The thought with the latest remark is last.
 */
export function standingRemarks(remarks: readonly Remark[]): ThoughtRemarks[] {
  const found = new Map<string, ThoughtRemarks>();
  for (const remark of remarks) {
    const key = nodeId("", remark);
    const { starredAt, comments } = found.get(key) ?? { starredAt: undefined, comments: [] };
    found.delete(key);
    found.set(key, {
      ...addressOf(remark),
      ...starAfter(starredAt, remark),
      comments: commentsAfter(comments, remark),
    });
  }
  return [...found.values()].filter(
    ({ starredAt, comments }) => starredAt !== undefined || comments.length > 0,
  );
}

function starAfter(before: string | undefined, { kind, at }: Remark): { starredAt?: string } {
  const starredAt = kind === "star" ? (before ?? at) : kind === "unstar" ? undefined : before;
  return starredAt === undefined ? {} : { starredAt };
}

function commentsAfter(
  before: ThoughtRemarks["comments"],
  { id, kind, text = "", withdraws, at }: Remark,
): ThoughtRemarks["comments"] {
  if (kind === "comment") return [...before, { id, text, at }];
  return kind === "withdraw" ? before.filter((comment) => comment.id !== withdraws) : before;
}
