import * as z from "zod";
import { limits } from "../../../domain/ledger/limits.ts";
import {
  longestComment,
  type Remark,
  standingRemarks,
  type ThoughtRemarks,
} from "../../../domain/ledger/remark.ts";
import { addressOf, describeAddress } from "../../../domain/ledger/thought.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import type { Remarks } from "../../../ports/actions.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { branchId, thoughtNumber } from "../../pipeline/fields.ts";

/** Withdrawn remarks are left out. */
export const thoughtRemarksSchema = z.strictObject({
  thoughtNumber: z.int(),
  branchId: z.string().optional(),
  starredAt: z.string().optional(),
  comments: z.array(z.strictObject({ id: z.string(), text: z.string(), at: z.string() })),
});

export const remark = defineOperation({
  name: "remark",
  family: "ledger",
  title: "Comment on a thought",
  summary:
    "Adds a person's comment or ★ to a thought. The record does not change. Only people can call it. Agents read remarks in load_context.",
  toolset: "people",
  stage: "init_complete",
  effect: "write",
  scope: "session",
  input: {
    thoughtNumber: thoughtNumber.describe("The thought."),
    branchId: branchId.optional().describe("Branch of the thought. Omit for the main chain."),
    comment: z.string().trim().min(1).max(longestComment).optional().describe("The comment."),
    star: z.boolean().optional().describe("true marks the thought with a ★, false removes the ★."),
    withdraw: z.string().min(1).max(limits.title).optional().describe("ID of a comment to withdraw."),
  },
  output: z.strictObject({ sessionId: z.string(), ...thoughtRemarksSchema.shape }),
  errors: ["SESSION_NOT_FOUND", "THOUGHT_NOT_FOUND", "UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "a comment",
      given: "a session with thoughts",
      input: { sessionId: "$session", thoughtNumber: 2, comment: "Ask the supplier first." },
    },
    {
      title: "a ★",
      given: "a session with thoughts",
      input: { sessionId: "$session", thoughtNumber: 1, star: true },
    },
  ],

  async handle({ comment, star, withdraw, ...address }, context) {
    const { ledger, remarks, callerState, fail, clock, newId, once } = context;
    const { sessionId } = callerState;
    const given = [comment, star, withdraw].filter((value) => value !== undefined);
    if (given.length !== 1) return fail("INVALID_PAYLOAD", "Pass one of comment, star or withdraw.");
    const found = await ledger.readThoughts(sessionId, { ...address, select: "one" });
    if (found.length === 0)
      return fail("THOUGHT_NOT_FOUND", `There is no ${describeAddress(address)}.`, {
        recovery: { hint: "See the existing thoughts.", operation: "get_structure", args: {} },
      });
    const before = remarksOn(await readRemarks(remarks, sessionId), address);
    if (withdraw !== undefined && !before.comments.some(({ id }) => id === withdraw))
      return fail("UNKNOWN_ID", `No comment on ${describeAddress(address)} has this ID.`, {
        details: { comments: before.comments.map(({ id }) => id).slice(0, 20) },
        recovery: {
          hint: "See the comments on the thought.",
          operation: "read_thoughts",
          args: addressOf(address),
        },
      });
    const isUnchanged = star !== undefined && star === (before.starredAt !== undefined);
    if (isUnchanged) return { sessionId, ...before };
    const kind = comment !== undefined ? "comment" : withdraw !== undefined ? "withdraw" : starKind(star);
    const event: Remark = {
      id: once ? sha256Hex(`${sessionId} ${once.key} ${once.fingerprint}`).slice(0, 32) : newId(),
      kind,
      ...addressOf(address),
      ...(comment !== undefined && { text: comment }),
      ...(withdraw !== undefined && { withdraws: withdraw }),
      at: clock().toISOString(),
    };
    await remarks.record(sessionId, [event]);
    return { sessionId, ...remarksOn(await readRemarks(remarks, sessionId), address) };
  },
});

const starKind = (star: boolean | undefined) => (star ? "star" : "unstar");

const mostRemarks = 5_000;

/** Groups remarks by thought. The thought with the newest remark is last. Withdrawn remarks are left out. */
export async function readRemarks(
  remarks: Pick<Remarks, "readOfSession">,
  sessionId: string,
): Promise<ThoughtRemarks[]> {
  return standingRemarks(await readAllRemarks({ remarks }, sessionId));
}

/** Reads all remarks on a session, including those that were later withdrawn. */
export async function readAllRemarks(
  { remarks }: { remarks: Pick<Remarks, "readOfSession"> },
  sessionId: string,
): Promise<Remark[]> {
  const stored = await remarks.readOfSession(sessionId, { after: 0, limit: mostRemarks });
  return stored.map(({ remark: event }) => event);
}

function remarksOn(
  all: readonly ThoughtRemarks[],
  address: { thoughtNumber: number; branchId?: string | undefined },
): ThoughtRemarks {
  const found = all.find(
    ({ thoughtNumber: number, branchId: branch }) =>
      number === address.thoughtNumber && branch === address.branchId,
  );
  return found ?? { ...addressOf(address), comments: [] };
}
