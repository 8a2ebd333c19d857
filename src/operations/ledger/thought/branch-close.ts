import * as z from "zod";
import {
  branchOutcomes,
  type Closings,
  closingsIn,
  closingText,
} from "../../../domain/ledger/branch-closing.ts";
import { isCaptured } from "../../../domain/ledger/session.ts";
import { addressSchema, describeAddress, nodeId } from "../../../domain/ledger/thought.ts";
import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import type { LedgerStore } from "../../../ports/ledger-store.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { branchId } from "../../pipeline/fields.ts";
import { recordThought } from "./record-thought.ts";

/** The number of newest thoughts to search for earlier closings of branches. */
const lookedAt = 2_000;

export const readClosings = async (
  ledger: Pick<LedgerStore, "readLatest">,
  sessionId: string,
): Promise<Closings> => closingsIn(await ledger.readLatest(sessionId, undefined, lookedAt));

export const branchClose = defineOperation({
  name: "branch_close",
  family: "ledger",
  title: "Close a branch of thoughts",
  summary:
    "Closes a branch of a session as merged or abandoned. The lesson becomes a thought in the chain that the branch forked from. For memory branches, use merge or branch_delete.",
  toolset: "full",
  stage: "cipher_loaded",
  effect: "write",
  scope: "session",
  input: {
    branchId: branchId.describe("Branch of the session to close."),
    outcome: z.enum(branchOutcomes).describe("merged: its result is used. abandoned: it is a dead end."),
    lesson: z
      .string()
      .min(1)
      .max(4_000)
      .regex(/\S/, "text that is not blank")
      .describe("Lesson for readers of the chain that the branch forked from."),
  },
  output: z.strictObject({
    sessionId: z.string(),
    branchId: z.string(),
    outcome: z.enum(branchOutcomes),
    thought: z.string(),
    by: addressSchema,
    /** False if the branch had already been closed with this outcome. */
    recorded: z.boolean(),
  }),
  errors: ["SESSION_NOT_FOUND", "THOUGHT_NOT_FOUND", "INVALID_PAYLOAD", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "a dead end",
      given: "a session with a branch",
      input: {
        sessionId: "$session",
        branchId: "alt",
        outcome: "abandoned",
        lesson: "The proxy is innocent: idle sockets live for an hour.",
      },
    },
  ],

  async handle({ branchId, outcome, lesson }, context) {
    const { ledger, callerState, fail } = context;
    const { sessionId, session } = callerState;
    const branches = (await ledger.loadIndex(sessionId)).branches();
    const branch = branches.find((one) => one.branchId === branchId);
    if (!branch)
      return fail("THOUGHT_NOT_FOUND", `There is no branch ${branchId}.`, {
        details: { branches: branches.map((one) => one.branchId).slice(0, 20) },
        recovery: { hint: "List the existing branches.", operation: "get_structure", args: { sessionId } },
      });
    const said = lesson.trim();
    const before = (await readClosings(ledger, sessionId)).get(branchId);
    if (before && (before.outcome !== outcome || before.lesson !== said))
      return fail(
        "CONFLICT",
        `Branch ${branchId} was already ${before.outcome} in ${describeAddress(before.by)}.`,
        {
          details: { outcome: before.outcome, by: before.by },
          recovery: {
            hint: "To correct the closing thought, record a thought with revisesThought. This call reads the closing thought.",
            operation: "read_thoughts",
            args: { sessionId, ...before.by },
          },
        },
      );
    const answer = { sessionId, branchId, outcome };
    if (before) return { ...answer, thought: nodeId(sessionId, before.by), by: before.by, recorded: false };
    const once = {
      key: `branch_close ${branchId}`,
      fingerprint: sha256Hex(canonicalJson({ branchId, outcome, lesson: said })),
    };
    const parent = branch.fork.branchId;
    const receipt = await recordThought(
      { ...context, once: context.once ?? once },
      sessionId,
      {
        thought: closingText(branchId, outcome, said),
        // A complete session stays complete.
        nextThoughtNeeded: parent !== undefined || session.status !== "completed",
        branchId: parent,
      },
      // The main chain of a captured session contains only its transcript.
      { ownBranch: isCaptured(sessionId) && branchId !== "own" ? "own" : undefined },
    );
    const { data } = receipt.entry;
    const by = {
      ...(data.branchId !== undefined && { branchId: data.branchId }),
      thoughtNumber: data.thoughtNumber,
    };
    return { ...answer, thought: nodeId(sessionId, by), by, recorded: !receipt.replayed };
  },
});
