import * as z from "zod";
import {
  extractLearnings,
  findGhost,
  type Learning,
  learningSchema,
  learningTypes,
} from "../../../domain/analysis/learnings.ts";
import { analyzeSession } from "../../../domain/analysis/session-analysis.ts";
import { describeAddress } from "../../../domain/ledger/thought.ts";
import { runInTurns } from "../../../kernel/steps.ts";
import type { OperationContext } from "../../pipeline/context.ts";
import { defineOperation } from "../../pipeline/define.ts";
import { branchId, thoughtNumber } from "../../pipeline/fields.ts";
import type { Json } from "../../pipeline/fit/trim.ts";
import { readWorkingSession } from "./read-session.ts";

const keyMoment = z.strictObject({
  thoughtNumber: thoughtNumber.describe("Number of the thought."),
  branchId: branchId.optional().describe("Branch of the thought. Default: the main chain."),
  type: z.enum(["insight", "decision", "pivot", "revision"]).describe("Type of the moment."),
  significance: z.int().min(1).max(10).default(5).describe("How much the moment mattered, 1–10."),
  summary: z.string().min(1).max(200).optional().describe("Short title for the moment."),
});

export const sessionExtractLearnings = defineOperation({
  name: "session.extract_learnings",
  family: "ledger",
  title: "Extract learnings",
  summary:
    "Derives patterns, anti-patterns and signals from moments that you choose, or from the session's turning points.",
  toolset: "full",
  stage: "init_complete",
  effect: "write",
  scope: "session",
  input: {
    keyMoments: z
      .array(keyMoment)
      .max(100)
      .default([])
      .describe("Moments worth learning from. Default: the session's turning points."),
    targetTypes: z
      .array(z.enum(learningTypes))
      .min(1)
      .max(3)
      .default(["signal"])
      .describe("Which kinds to derive. Default: signal."),
    save: z
      .boolean()
      .default(false)
      .describe("Stores patterns and anti-patterns in the project's knowledge. Default: false."),
  },
  output: z.strictObject({
    sessionId: z.string(),
    learnings: z.array(learningSchema),
    count: z.int(),
    leftOut: z.int().optional(),
    hasMore: z.literal(true).optional(),
    saved: z.array(z.string()).optional(),
  }),
  fit: { plan: { list: { key: "learnings", oldest: "last" }, adjust: leaveOut } },
  errors: ["SESSION_NOT_FOUND", "THOUGHT_NOT_FOUND", "STORAGE_ERROR"],
  examples: [
    { title: "a signal", given: "a session with a branch", input: { sessionId: "$session" } },
    {
      title: "patterns, kept",
      given: "a session with a branch",
      input: { sessionId: "$session", targetTypes: ["pattern", "anti-pattern"], save: true },
    },
  ],

  async handle({ keyMoments, targetTypes, save }, context) {
    const { session, shape } = await readWorkingSession(context);
    const analysis = analyzeSession(session, shape, await context.ledger.countCritiqueRequests(session.id));
    const at = context.clock().toISOString();
    const ghost = await runInTurns(findGhost(shape, keyMoments), context.signal);
    if (ghost) {
      return context.fail("THOUGHT_NOT_FOUND", `The session has no ${describeAddress(ghost)}.`, {
        recovery: { hint: "See the existing thoughts.", operation: "get_structure", args: {} },
      });
    }
    const extraction = extractLearnings(session, shape, analysis, keyMoments, targetTypes, at);
    const { learnings, leftOut } = await runInTurns(extraction, context.signal);
    return {
      sessionId: session.id,
      learnings,
      count: learnings.length,
      ...(leftOut > 0 && { leftOut, hasMore: true as const }),
      ...(save && { saved: await keep(context, learnings, at) }),
    };
  },
});

/** Adds the items that were dropped to fit the answer to the number of omitted items. */
function leaveOut(result: Json): Json {
  const shown = (result["learnings"] as Learning[]).length;
  const leftOut = Number(result["leftOut"] ?? 0) + Number(result["count"]) - shown;
  return { ...result, count: shown, leftOut, hasMore: true };
}

/**
 * Stores the learnings, except signals, which are numbers. A second extraction rewrites the same notes.
 * Patterns by other authors stay unchanged, and a new pattern gets the next free ID.
 */
async function keep(
  { knowledge, callerState }: OperationContext,
  learnings: readonly Learning[],
  at: string,
): Promise<string[]> {
  const saved: string[] = [];
  for (const { type, content, targetPath, metadata } of learnings) {
    if (type === "signal") continue;
    const stem = targetPath.slice(targetPath.indexOf("/") + 1, -".md".length);
    const title = content.slice(2, content.indexOf("\n"));
    const id = await findPlace(stem, async (candidate) => {
      if (saved.includes(candidate)) return false;
      const there = await knowledge.readNote(callerState.project, "pattern", candidate);
      const source = there?.derivedFromSessions ?? [];
      return (
        !there || (there.tags.includes(type) && source.length === 1 && source[0] === metadata.sourceSession)
      );
    });
    await knowledge.putNote(callerState.project, {
      kind: "pattern",
      id,
      title,
      description: `${type} from session ${metadata.sourceSession}`,
      tags: [type],
      content,
      derivedFromSessions: [metadata.sourceSession],
      createdAt: at,
      updatedAt: at,
    });
    saved.push(id);
  }
  return saved;
}

/** Returns the first of `stem`, `stem-2`, `stem-3` … that is free or ours. */
async function findPlace(stem: string, isOurs: (id: string) => Promise<boolean>): Promise<string> {
  let id = stem;
  for (let n = 2; !(await isOurs(id)); n += 1) id = `${stem.slice(0, 58).replace(/-+$/, "")}-${n}`;
  return id;
}
