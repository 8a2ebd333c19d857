import * as z from "zod";
import type { Engine } from "../../../domain/engine/run-engine.ts";
import type { CapsuleKind } from "../../../domain/memory/views/capsule.ts";
import { summariseLanes } from "../../../domain/memory/views/lane-summary.ts";
import { assembleCards, countCards, frontierOf } from "../../../domain/memory/views/selection.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { agentId } from "../../pipeline/fields.ts";
import { degradationSchema, type PackPlan } from "../../pipeline/fit/pack.ts";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { count, engineFields, frontierFields, graphDoc, ref, step, viewFields } from "../think/fields.ts";
import {
  capsuleSchema,
  cardSchema,
  engineSchema,
  frontierSchema,
  laneSummarySchema,
  showCard,
  showFrontier,
  statsSchema,
  stepFocusSchema,
} from "./card-schema.ts";
import { capsuleFor, engineFor, knownCards } from "./describe-slice.ts";
import { type AskedView, frontierLimits, loadSlice, planView } from "./load-slice.ts";
import { cardsAt, engineLists, keepCapsule, listAt, showsLeftOut } from "./trim-packs.ts";

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
  degradation: degradationSchema.optional(),
};

export const thinkPackPlan: PackPlan = {
  repeats: ["stats", "branch", "graph_doc", "trace_doc"],
  lists: [
    cardsAt("candidates"),
    ...["hypotheses", "questions", "subgoals", "tests"].map((name) => cardsAt(`frontier.${name}`)),
    ...engineLists,
    listAt("lane_summary"),
  ],
  blocks: ["lane_summary", "engine", "frontier", "step_focus", "candidates"],
  core: keepCapsule,
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
  trim: { pack: thinkPackPlan, goesOn: showsLeftOut },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a workspace with cards", input: { context_budget: 4000 } }],

  async handle(input, memory) {
    const slice = await loadPack(memory, input);
    return describePack(memory, slice, engineFor(memory, slice, [], input), "think_pack_capsule", input);
  },
});

type PackCodes = "INVALID_PAYLOAD" | "UNKNOWN_ID" | "NO_CHECKOUT";
type AskedPack = AskedView & Parameters<typeof frontierLimits>[0] & { limit_candidates: number };

export async function loadPack(memory: MemoryContext<PackCodes>, asked: AskedPack) {
  const plan = await planView(memory, asked);
  const limit = asked.limit_candidates;
  const frontier = frontierLimits(asked);
  const slice = await loadSlice(memory, plan, { limit: limit + 24, frontier, highlights: 3 });
  return { ...slice, candidates: assembleCards(slice.selected, limit) };
}

/** What packs and watch have in common. */
export function describePack(
  memory: Pick<MemoryContext, "workspace">,
  { candidates, ...slice }: Awaited<ReturnType<typeof loadPack>>,
  engine: Engine,
  kind: CapsuleKind,
  asked: { engine_signals_limit: number; engine_actions_limit: number },
) {
  const { place, step, drafts } = slice.scope;
  return {
    capsule: capsuleFor(kind, memory, slice, engine, knownCards(slice)),
    branch: place.branch,
    graph_doc: place.graph_doc,
    trace_doc: place.trace_doc,
    ...(step && { step_focus: step }),
    stats: countCards(slice.cards),
    frontier: showFrontier(frontierOf(slice.selected)),
    candidates: candidates.map(showCard),
    ...(asked.engine_signals_limit + asked.engine_actions_limit > 0 && { engine }),
    ...(drafts && { lane_summary: summariseLanes(slice.cards) }),
  };
}
