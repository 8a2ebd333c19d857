import * as z from "zod";
import { describeStructure, structureSchema } from "../../../domain/ledger/chain/structure.ts";
import { limits } from "../../../domain/ledger/limits.ts";
import {
  type Address,
  type ChainedThought,
  describeAddress,
  endsSession,
  type Suggestion,
  suggestNext,
} from "../../../domain/ledger/thought.ts";
import type { Recovery } from "../../../kernel/errors.ts";
import type { AppendReceipt } from "../../../ports/ledger-store.ts";
import { type BaseContext, type Caller, isRemembered } from "../../pipeline/context.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { agentId, branchId, tags, thoughtNumber, title } from "../../pipeline/fields.ts";
import { findExport, writeExport } from "../session/write-export.ts";
import { afterStored, recordOrOpen } from "./record-thought.ts";
import {
  answerRefused,
  attachGiven,
  critiqueSchema,
  findRefused,
  finishCritique,
  requestCritique,
  selfCritiqueSchema,
} from "./request-critique.ts";

/** A character that can be seen: no space, no control character, no zero-width character. */
const visible = /[^\s\p{C}]/u;

const thoughtText = z
  .string()
  .min(1)
  .refine((text) => visible.test(text), "must not be blank")
  .refine((text) => Buffer.byteLength(text) <= limits.thoughtBytes, "must be at most 1 MiB of UTF-8")
  .describe("The reasoning step, in prose or in cipher notation.");

const attachedCritique = z
  .strictObject({
    thoughtNumber: thoughtNumber.describe("Number of the thought that the critique is about."),
    branchId: branchId.optional(),
    text: z.string().min(1).max(16_000).describe("The critique."),
    model: z.string().min(1).max(200).default("self").describe("Who wrote the critique."),
  })
  .describe("A critique of an earlier thought, recorded with that thought.");

type AnswerOptions = {
  includeGuide?: boolean | undefined;
  verbose?: boolean | undefined;
};

const suggestionSchema = z.strictObject({
  hint: z.string(),
  fields: z.record(z.string(), z.union([z.string(), z.number()])),
});

/**
 * Agents ignore advice that they get too often, so at most one in five consecutive thoughts gets a
 * suggestion.
 */
const pause = 5;
/**
 * Only the current stretch of this many thoughts is searched for earlier suggestions. The thought before the
 * stretch counts as having one, so that the next suggestion is not too soon.
 */
const stretch = 25;

/** Returns a suggestion if one is due. Reads earlier thoughts only if the text calls for a suggestion. */
async function suggestFields(
  { ledger, settings }: BaseContext,
  entry: ChainedThought,
): Promise<Suggestion | undefined> {
  if (!settings.suggestions) return undefined;
  const suggestion = suggestNext(entry.data);
  if (!suggestion) return undefined;
  const start = entry.position - 1 - ((entry.position - 1) % stretch);
  let spoken = start === 0 ? -pause : start;
  const earlier = await ledger.readEntries(entry.sessionId, start, entry.position - 1 - start);
  for (const { position, data } of earlier)
    if (position - spoken >= pause && suggestNext(data)) spoken = position;
  return entry.position - spoken >= pause ? suggestion : undefined;
}

/** Describes the thought. `verbose` adds its structure. `exportPath` is set if it ended the session. */
async function describeThought(
  context: BaseContext,
  receipt: AppendReceipt,
  { includeGuide, verbose }: AnswerOptions,
  exportPath: string | undefined,
) {
  const { sessionId, data } = receipt.entry;
  const added = <Added>(what: string, find: () => Promise<Added>) =>
    afterStored(context, "ANSWER_INCOMPLETE", `The answer has no ${what}`, find);
  const suggestion = await added("suggestion", () => suggestFields(context, receipt.entry));
  const guide = includeGuide
    ? await added("guide", () => context.content.read("guides/patterns-cookbook.md"))
    : undefined;
  return {
    thoughtNumber: data.thoughtNumber,
    sessionId,
    ...(data.branchId !== undefined && { branchId: data.branchId }),
    ...(receipt.opened && {
      sessionOpened: true as const,
      next: nextCall(context.caller, sessionId),
    }),
    ...(endsSession(data) && { sessionClosed: true as const }),
    ...(exportPath !== undefined && { exportPath }),
    ...(suggestion && { suggestion }),
    ...(guide !== undefined && { guide }),
    ...(verbose && (await added("structure", () => describeChain(context, receipt)))),
  };
}

/** States whether later calls need the session ID, because the server cannot recognise every caller. */
const nextCall = (caller: Caller, sessionId: string): string =>
  isRemembered(caller)
    ? "Later calls continue this session without sessionId."
    : `Pass sessionId ${sessionId}.`;

async function describeChain({ ledger }: BaseContext, { entry, thoughtCount }: AppendReceipt) {
  const index = await ledger.loadIndex(entry.sessionId);
  return {
    totalThoughts: entry.data.totalThoughts,
    nextThoughtNeeded: entry.data.nextThoughtNeeded,
    thoughtHistoryLength: thoughtCount,
    branches: index
      .branches()
      .slice(-200)
      .map(({ branchId }) => branchId),
    structure: describeStructure(index, 50),
  };
}

export const thought = defineOperation({
  name: "thought",
  family: "ledger",
  title: "Record a thought",
  summary:
    "Records one reasoning step durably and numbers it. Fork with branchFromThought + branchId, correct with revisesThought.",
  advice:
    "Use it for work of more than a few steps: record observations, hypotheses, findings, decisions and above all what did not work. The first call opens a session, and later ones continue it. End with a conclusion and nextThoughtNeeded:false. Optional notation: S2|H|S1|text, types H E C Q R P O A X.",
  toolset: "core",
  stage: "cipher_loaded",
  effect: "write",
  recallsSession: true,
  scope: "caller",
  input: {
    thought: thoughtText,
    nextThoughtNeeded: z
      .boolean()
      .default(true)
      .describe("false completes the main chain and the session. Default: true."),
    thoughtNumber: thoughtNumber.optional().describe("Default: the next free number in the chain."),
    totalThoughts: thoughtNumber.optional().describe("Estimated number of thoughts. Raised if too small."),
    isRevision: z.boolean().optional().describe("Implied by revisesThought."),
    revisesThought: thoughtNumber.optional().describe("Number of the thought that this one corrects."),
    branchFromThought: thoughtNumber.optional().describe("Number of the thought to fork from."),
    branchFromBranch: branchId
      .optional()
      .describe("Branch that branchFromThought is on. Default: the main chain."),
    branchId: branchId.optional().describe("Branch to open or continue: a–z, 0–9, -."),
    needsMoreThoughts: z.boolean().optional().describe("Shows readers that the estimate was too low."),
    includeGuide: z.boolean().optional().describe("Adds the patterns cookbook to this answer."),
    attachCritique: attachedCritique.optional(),
    critique: z.boolean().optional().describe("Asks the client's model for a critique."),
    verbose: z.boolean().optional().describe("Adds totals, branches and structure to the answer."),
    sessionTitle: title.optional().describe("Session title, if this thought opens a session."),
    sessionTags: tags.optional().describe("Session tags, if this thought opens a session."),
    agentId: agentId.optional(),
  },
  advanced: [
    "isRevision",
    "branchFromBranch",
    "needsMoreThoughts",
    "includeGuide",
    "verbose",
    "sessionTitle",
    "sessionTags",
    "agentId",
    "attachCritique",
  ],
  output: z.strictObject({
    thoughtNumber: z.int(),
    sessionId: z.string(),
    branchId: z.string().optional(),
    sessionOpened: z.literal(true).optional(),
    next: z.string().optional(),
    sessionClosed: z.literal(true).optional(),
    exportPath: z.string().optional(),
    critique: critiqueSchema.optional(),
    selfCritique: selfCritiqueSchema.optional(),
    suggestion: suggestionSchema.optional(),
    guide: z.string().optional(),
    totalThoughts: z.int().optional(),
    nextThoughtNeeded: z.boolean().optional(),
    thoughtHistoryLength: z.int().optional(),
    branches: z.array(z.string()).optional(),
    structure: structureSchema.optional(),
  }),
  errors: ["SESSION_NOT_FOUND", "THOUGHT_NOT_FOUND", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "the next step",
      given: "a session with thoughts",
      input: { sessionId: "$session", thought: "S4|H|S3|The pool is exhausted", nextThoughtNeeded: true },
    },
    {
      title: "a fork",
      given: "a session with thoughts",
      input: {
        sessionId: "$session",
        thought: "What if the proxy drops idle sockets?",
        branchFromThought: 2,
        branchId: "proxy",
      },
    },
    {
      title: "a correction",
      given: "a session with thoughts",
      input: { sessionId: "$session", thought: "It was the cache, not the database.", revisesThought: 2 },
    },
  ],

  async handle(input, context) {
    const { fail } = context;
    if (context.answers.state !== undefined) return finishCritique(context);
    if (input.isRevision && input.revisesThought === undefined) {
      return fail(
        "INVALID_PAYLOAD",
        "isRevision needs revisesThought: the number of the thought to correct.",
        { recovery: again("Pass revisesThought, or omit isRevision.", { isRevision: null }) },
      );
    }
    if (input.isRevision === false && input.revisesThought !== undefined) {
      return fail("INVALID_PAYLOAD", "isRevision is false, but revisesThought is given. Omit one of them.", {
        recovery: again("Omit isRevision, because revisesThought alone is enough.", { isRevision: null }),
      });
    }
    const { text, model, ...criticised } = input.attachCritique ?? {};
    if (input.attachCritique && context.callerState.sessionId !== undefined)
      await requireThought(context, context.callerState.sessionId, criticised as Address);
    const refused = context.caller.can.sampling ? await findRefused(context, input) : undefined;
    if (refused) return answerRefused(context, refused);
    const receipt = await recordOrOpen(context, input);
    const { sessionId } = receipt.entry;
    if (text !== undefined && model !== undefined && !receipt.replayed)
      await attachGiven(context, sessionId, criticised as Address, { text, model });
    const exportPath = await exportFinished(context, receipt);
    const answer = await describeThought(context, receipt, input, exportPath);
    if (!input.critique) return answer;
    const asked = await afterStored(context, "CRITIQUE_FAILED", "There is no critique", () =>
      requestCritique(context, answer, receipt.entry.data),
    );
    return asked ?? answer;
  },
});

const again = (hint: string, args: Record<string, unknown>): Recovery => ({
  hint,
  operation: "thought",
  args,
  patch: true,
});

async function requireThought(
  { ledger, fail }: BaseContext<"THOUGHT_NOT_FOUND">,
  sessionId: string,
  address: Address,
): Promise<void> {
  const found = await ledger.readThoughts(sessionId, { ...address, select: "one" });
  if (found.length > 0) return;
  fail("THOUGHT_NOT_FOUND", `There is no ${describeAddress(address)} to attach a critique to.`, {
    recovery: { hint: "See the existing thoughts.", operation: "get_structure", args: {} },
  });
}

/**
 * Writes the export if this thought ended the session. For a replay, writes nothing and returns the path of
 * the first call's file, if it still exists.
 */
async function exportFinished(
  context: BaseContext<"SESSION_NOT_FOUND">,
  { entry: { sessionId, data }, replayed }: AppendReceipt,
): Promise<string | undefined> {
  if (!context.settings.autoExport || !endsSession(data)) return undefined;
  if (replayed) return findExport(context, sessionId);
  return afterStored(context, "EXPORT_FAILED", "The export was not written", () =>
    writeExport(context, sessionId),
  );
}
