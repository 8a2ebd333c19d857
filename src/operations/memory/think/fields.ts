import * as z from "zod";
import { defaultStaleDays } from "../../../domain/engine/run-engine.ts";
import { views } from "../../../domain/memory/cards/visibility.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { maxCount } from "../../../kernel/numbers.ts";
import { limitOf } from "../../pipeline/fields.ts";
import { branchName, doc, textOrObject } from "../fields.ts";

/** Fields that the thinking tools share: one schema and one description each. */

export const card = textOrObject("The card: JSON, key: value lines or plain text. See think_template.");

export const cardId = z.string().min(1).max(memoryLimits.nodeId);
export const cardIds = z.array(cardId).min(1).max(200);

export const supports = z.array(cardId).max(64).optional().describe("Cards that this one supports.");
export const blocks = z.array(cardId).max(64).optional().describe("Cards that this one contradicts.");

export const step = z
  .string()
  .min(1)
  .max(128)
  .optional()
  .describe('Step: "focus" (the first open one), an ID, or a path such as s:0.');

export const ref = branchName.optional().describe("Branch. Default: the focus, or the checkout.");
export const graphDoc = doc.optional().describe("Document for the cards. Default: graph.");
export const traceDoc = doc.optional().describe("Document for the trace. Default: trace.");
export const notesDoc = doc.optional().describe("Document for the notes. Default: notes.");

export const viewFields = {
  view: z
    .enum(views)
    .optional()
    .describe("smart adds open cards, explore adds everything, and audit also shows drafts."),
  all_lanes: z.boolean().optional().describe("Include drafts."),
  include_drafts: z.boolean().optional().describe("Same as all_lanes."),
  context_budget: z
    .int()
    .min(0)
    .max(maxCount)
    .optional()
    .describe(
      "Same as max_chars, but view then defaults to smart. If you pass both, the smaller one applies.",
    ),
};

export const count = (byDefault: number, what: string, max = 50) =>
  limitOf(what, { max, default: byDefault });

export const frontierFields = {
  limit_hypotheses: count(4, "open hypotheses"),
  limit_questions: count(4, "open questions"),
  limit_subgoals: count(4, "open subgoals"),
  limit_tests: count(6, "open tests"),
};

export const engineFields = (signals: number, actions: number) => ({
  engine_signals_limit: count(signals, "signals", 20),
  engine_actions_limit: count(actions, "actions", 20),
  stale_after_days: z
    .int()
    .min(1)
    .max(3_650)
    .default(defaultStaleDays)
    .describe(
      `Evidence is stale if it is this many days older than the newest card or entry. Default: ${defaultStaleDays}.`,
    ),
});
