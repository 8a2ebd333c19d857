import * as z from "zod";
import type { Engine } from "../../../domain/engine/run-engine.ts";
import type { CapsuleKind } from "../../../domain/memory/views/capsule.ts";
import { summariseLanes } from "../../../domain/memory/views/highlights.ts";
import { assembleCards, countCards, frontierOf } from "../../../domain/memory/views/selection.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { agentId } from "../../pipeline/fields.ts";
import { degradationSchema, type PackPlan } from "../../pipeline/fit/pack.ts";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { count, engineFields, frontierFields, graphDoc, ref, step, viewFields } from "../think/fields.ts";
import { capsuleFor, engineFor, knownCards } from "./describe-slice.ts";
import { type AskedView, frontierLimits, loadSlice, planView } from "./load-slice.ts";
import { boardLists, boardSchema, readBoard } from "./read-board.ts";
import {
  capsuleSchema,
  createPackView,
  engineSchema,
  frontierSchema,
  laneSummarySchema,
  packCardSchema,
  showFrontier,
  statsSchema,
  stepFocusSchema,
} from "./show-pack.ts";
import { cardsAt, engineLists, keepCapsule, listAt, showsLeftOut } from "./trim-packs.ts";

export const packChars = 20_000;

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
  board: boardSchema.optional(),
  conflicts_open: z.int().optional(),
  frontier: frontierSchema.optional(),
  candidates: z.array(packCardSchema).optional(),
  engine: engineSchema.optional(),
  lane_summary: laneSummarySchema.optional(),
  degradation: degradationSchema.optional(),
};

export const thinkPackPlan: PackPlan = {
  repeats: ["stats", "branch", "graph_doc", "trace_doc"],
  lists: [
    ...boardLists,
    cardsAt("candidates"),
    ...["hypotheses", "questions", "subgoals", "tests"].map((name) => cardsAt(`frontier.${name}`)),
    ...engineLists,
    listAt("lane_summary"),
  ],
  blocks: ["lane_summary", "engine", "step_focus", "candidates", "frontier", "conflicts_open", "board"],
  core: keepCapsule,
};

export const thinkPack = defineMemory({
  name: "think_pack",
  title: "Show the thinking on one page",
  summary:
    "Shows the thinking on one page: position, reason, next step, open frontier, candidates, and what is missing.",
  effect: "read",
  defaultChars: packChars,
  input: { ...packInput, ...engineFields(4, 2) },
  advanced: packAdvanced,
  output: packOutput,
  trim: { pack: thinkPackPlan, goesOn: showsLeftOut },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a workspace with cards", input: { context_budget: 4000 } }],

  async handle(input, memory) {
    const slice = await loadPack(memory, input);
    const engine = engineFor(memory, slice, { drafts: slice.board.drafts }, input);
    return describePack(memory, slice, engine, "think_pack_capsule", input);
  },
});

type PackCodes = "INVALID_PAYLOAD" | "UNKNOWN_ID";
type AskedPack = AskedView & Parameters<typeof frontierLimits>[0] & { limit_candidates: number };

export async function loadPack(memory: MemoryContext<PackCodes>, asked: AskedPack) {
  const plan = await planView(memory, asked);
  const limit = asked.limit_candidates;
  const frontier = frontierLimits(asked);
  const slice = await loadSlice(memory, plan, { limit: limit + 24, frontier, highlights: 3 });
  const { cards, scope } = slice;
  const board = await readBoard(
    memory,
    scope.place,
    cards.map(({ id }) => id),
  );
  return { ...slice, board, candidates: assembleCards(slice.selected, limit) };
}

export function describePack(
  memory: Pick<MemoryContext, "workspace">,
  { candidates, board, ...slice }: Awaited<ReturnType<typeof loadPack>>,
  engine: Engine,
  kind: CapsuleKind,
  asked: { engine_signals_limit: number; engine_actions_limit: number },
) {
  const { place, step, drafts } = slice.scope;
  const view = createPackView(board);
  const frontier = frontierOf(slice.selected);
  const open = new Set(Object.values(frontier).flatMap((cards) => cards.map(({ id }) => id)));
  return {
    capsule: capsuleFor(kind, memory, slice, engine, board, knownCards(slice)),
    branch: place.branch,
    graph_doc: place.graph_doc,
    trace_doc: place.trace_doc,
    ...(step && { step_focus: step }),
    stats: countCards(slice.cards),
    ...(Object.keys(board.shown).length > 0 && { board: board.shown }),
    ...(board.conflictsOpen > 0 && { conflicts_open: board.conflictsOpen }),
    frontier: showFrontier(frontier, view.card),
    // The frontier already shows the open cards.
    candidates: candidates.filter(({ id }) => !open.has(id)).map(view.card),
    ...(asked.engine_signals_limit + asked.engine_actions_limit > 0 && { engine }),
    ...(drafts && { lane_summary: summariseLanes(slice.cards) }),
  };
}
