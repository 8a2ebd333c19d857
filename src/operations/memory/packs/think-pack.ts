import * as z from "zod";
import { summariseLanes } from "../../../domain/memory/views/lane-summary.ts";
import { assembleCards, countCards, frontierOf } from "../../../domain/memory/views/selection.ts";
import { agentId } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { clampLimit } from "../paging.ts";
import { count, engineFields, frontierFields, graphDoc, ref, step, viewFields } from "../think/fields.ts";
import {
  capsuleSchema,
  cardList,
  cardSchema,
  engineSchema,
  frontierSchema,
  laneSummarySchema,
  showCard,
  statsSchema,
  stepFocusSchema,
} from "./card-schema.ts";
import { capsuleFor, engineFor, keepCapsule } from "./describe-slice.ts";
import { frontierLimits, loadSlice, resolveView } from "./load-slice.ts";
import { otherCards } from "./other-cards.ts";

export const packChars = 20_000;

/** What packs and watch show of the cards. */
export const packInput = {
  target: target.optional(),
  ref,
  graph_doc: graphDoc,
  step,
  ...frontierFields,
  limit_candidates: count(12, "candidates", 100),
  ...viewFields,
  agent_id: agentId.optional(),
};

export const packAdvanced = [
  "ref",
  "graph_doc",
  "agent_id",
  "all_lanes",
  "limit_hypotheses",
  "limit_questions",
  "limit_subgoals",
  "limit_tests",
  "limit_candidates",
  "engine_signals_limit",
  "engine_actions_limit",
  "stale_after_days",
] as const;

export const packOutput = {
  branch: z.string().optional(),
  graph_doc: z.string().optional(),
  trace_doc: z.string().optional(),
  step_focus: stepFocusSchema.optional(),
  capsule: capsuleSchema,
  stats: statsSchema.optional(),
  frontier: frontierSchema.optional(),
  candidates: z.array(cardSchema).optional(),
  engine: engineSchema.optional(),
  lane_summary: laneSummarySchema.optional(),
};

export const thinkPack = defineMemory({
  name: "think_pack",
  title: "Thinking in one page",
  summary:
    "One page about the thinking: where, why and next, the open frontier, candidates, and what is lacking.",
  effect: "read",
  defaultChars: packChars,
  input: { ...packInput, ...engineFields(4, 2) },
  advanced: packAdvanced,
  output: packOutput,
  trim: {
    optional: ["lane_summary", "stats", "engine", "frontier", "step_focus"],
    list: cardList("candidates"),
    shrink: [keepCapsule],
    goesOn: otherCards,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a workspace with cards", input: { context_budget: 4000 } }],

  async handle(input, memory) {
    const scope = await resolveView(memory, input);
    const limit = clampLimit(memory, input.limit_candidates, 100, 0);
    const frontier = frontierLimits(memory, input);
    const slice = await loadSlice(memory, scope, { limit: limit + 24, frontier, highlights: 3 });
    const engine = engineFor(memory, scope, slice, [], input);
    const cards = assembleCards(slice.selected, limit);
    const { hypotheses, questions, subgoals, tests } = frontierOf(slice.selected);
    const { branch, graph_doc, trace_doc } = scope.place;
    return {
      capsule: capsuleFor("think_pack_capsule", memory, scope, slice, engine),
      branch,
      graph_doc,
      trace_doc,
      ...(scope.step && { step_focus: scope.step }),
      stats: countCards(slice.cards),
      frontier: {
        hypotheses: hypotheses.map(showCard),
        questions: questions.map(showCard),
        subgoals: subgoals.map(showCard),
        tests: tests.map(showCard),
      },
      candidates: cards.map(showCard),
      ...(input.engine_signals_limit + input.engine_actions_limit > 0 && { engine }),
      ...(scope.drafts && { lane_summary: summariseLanes(slice.cards) }),
    };
  },
});
