import * as z from "zod";
import {
  assembleCards,
  chooseNext,
  countCards,
  frontierOf,
  toSliceEntry,
} from "../../../domain/memory/views/selection.ts";
import { agentId } from "../../pipeline/fields.ts";
import { degradationSchema } from "../../pipeline/fit/pack.ts";
import { defineMemory } from "../define-memory.ts";
import { branchName, target } from "../fields.ts";
import { stubNode } from "../graph/graph-schemas.ts";
import {
  count,
  engineFields,
  frontierFields,
  graphDoc,
  ref,
  step,
  traceDoc,
  viewFields,
} from "../think/fields.ts";
import { clipBytes } from "../trace/trace.ts";
import { engineFor } from "./describe-slice.ts";
import { frontierLimits, loadSlice, planView } from "./load-slice.ts";
import { readShown } from "./read-context.ts";
import {
  cardList,
  cardSchema,
  createPackView,
  engineSchema,
  frontierSchema,
  packEntrySchema,
  showCard,
  showFrontier,
  statsSchema,
  stepFocusSchema,
} from "./show-pack.ts";
import {
  describePack,
  loadPack,
  packAdvanced,
  packChars,
  packInput,
  packOutput,
  thinkPackPlan,
} from "./think-pack.ts";
import { cardsAt, entriesAt, otherCards, showsLeftOut } from "./trim-packs.ts";

export const thinkContext = defineMemory({
  name: "think_context",
  title: "Show the cards that matter now",
  summary: "Shows pinned cards, the open frontier and recent cards, most relevant first.",
  effect: "read",
  input: {
    target: target.optional(),
    branch: branchName.optional().describe("Branch. With a target, the branch on which its cards are read."),
    graph_doc: graphDoc,
    step,
    limit_cards: count(30, "cards", 200),
    ...viewFields,
    agent_id: agentId.optional(),
  },
  advanced: ["branch", "graph_doc", "agent_id", "all_lanes"],
  output: {
    branch: z.string(),
    graph_doc: z.string(),
    step_focus: stepFocusSchema.optional(),
    stats: statsSchema.optional(),
    cards: z.array(cardSchema),
  },
  trim: {
    optional: ["stats"],
    list: cardList("cards"),
    adjust: recount,
    goesOn: (args) => [otherCards(args)],
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a workspace with cards", input: { limit_cards: 10 } }],

  async handle({ branch, limit_cards: limit, agent_id: _agent, ...asked }, memory) {
    const named = asked.target === undefined ? { ref: branch } : { read_on: branch };
    const plan = await planView(memory, { ...asked, ...named });
    const { selected, scope } = await loadSlice(memory, plan, { limit });
    const cards = assembleCards(selected, limit);
    const { place, step } = scope;
    return {
      branch: place.branch,
      graph_doc: place.graph_doc,
      ...(step && { step_focus: step }),
      stats: countCards(cards),
      cards: cards.map(showCard),
    };
  },
});

/** Counts only the cards that are shown. */
function recount(result: Record<string, unknown>): Record<string, unknown> {
  const { stats: _whole, ...rest } = result;
  return rest;
}

const frontierPaths = ["hypotheses", "questions", "subgoals", "tests"].map((name) => `frontier.${name}`);

export const thinkFrontier = defineMemory({
  name: "think_frontier",
  title: "List open cards",
  summary: "Shows the open hypotheses, questions, subgoals and tests, newest first.",
  effect: "read",
  input: {
    target: target.optional(),
    ref,
    graph_doc: graphDoc,
    step,
    ...frontierFields,
    ...viewFields,
    agent_id: agentId.optional(),
  },
  advanced: ["ref", "graph_doc", "agent_id", "all_lanes", "view"],
  output: {
    branch: z.string().optional(),
    graph_doc: z.string().optional(),
    step_focus: stepFocusSchema.optional(),
    frontier: frontierSchema,
    degradation: degradationSchema.optional(),
  },
  trim: {
    pack: {
      lists: frontierPaths.map(cardsAt),
      blocks: ["step_focus", "graph_doc", "branch", ...frontierPaths.toReversed().slice(0, -1)],
    },
    goesOn: (args) => [otherCards(args)],
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a workspace with cards", input: {} }],

  async handle(input, memory) {
    const plan = await planView(memory, input);
    const frontier = frontierLimits(input);
    const { selected, scope } = await loadSlice(memory, plan, { limit: 0, frontier });
    return {
      branch: scope.place.branch,
      graph_doc: scope.place.graph_doc,
      ...(scope.step && { step_focus: scope.step }),
      frontier: showFrontier(frontierOf(selected), showCard),
    };
  },
});

export const thinkNext = defineMemory({
  name: "think_next",
  title: "Choose the next card",
  summary: "Shows the one card to continue with, and what the engine suggests for it.",
  effect: "read",
  input: {
    target: target.optional(),
    ref,
    graph_doc: graphDoc,
    step,
    ...viewFields,
    agent_id: agentId.optional(),
  },
  advanced: ["ref", "graph_doc", "agent_id", "all_lanes", "view"],
  output: {
    branch: z.string().optional(),
    graph_doc: z.string().optional(),
    step_focus: stepFocusSchema.optional(),
    candidate: cardSchema.optional(),
    reason: z.enum(["pinned", "engine", "newest"]).optional(),
    action: engineSchema.shape.actions.element.optional(),
  },
  trim: { optional: ["action", "step_focus"], item: { key: "candidate", stub: stubNode } },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "on the checkout", given: "a workspace with cards", input: {} }],

  async handle(input, memory) {
    const slice = await loadSlice(memory, await planView(memory, input), { limit: 30 });
    const { scope } = slice;
    const engine = engineFor(memory, slice, {}, { engine_signals_limit: 6, engine_actions_limit: 1 });
    const [action] = engine.actions;
    const next = chooseNext(assembleCards(slice.selected, 30), cardOf(action?.calls));
    return {
      branch: scope.place.branch,
      graph_doc: scope.place.graph_doc,
      ...(scope.step && { step_focus: scope.step }),
      ...(next && { candidate: showCard(next.card), reason: next.reason }),
      ...(action && { action }),
    };
  },
});

function cardOf(calls: readonly { args: Record<string, unknown> }[] | undefined): string | undefined {
  for (const { args } of calls ?? []) {
    const named = [args["id"], args["card_id"], ...[args["supports"], args["blocks"]].flat()];
    const id = named.find((value) => typeof value === "string");
    if (typeof id === "string") return id;
  }
  return undefined;
}

export const thinkWatch = defineMemory({
  name: "think_watch",
  title: "Watch the thinking",
  summary: "Shows the open frontier, candidates and the newest trace in one view, with what to do next.",
  effect: "read",
  defaultChars: packChars,
  input: {
    ...packInput,
    trace_doc: traceDoc,
    trace_limit_steps: count(20, "trace entries", 200),
    trace_statement_max_bytes: z
      .int()
      .min(0)
      .max(1_000_000)
      .default(1_000)
      .describe("Maximum length of an entry in bytes. Default: 1000."),
    ...engineFields(6, 2),
  },
  advanced: [...packAdvanced, "trace_doc", "trace_limit_steps", "trace_statement_max_bytes"],
  output: { ...packOutput, trace: z.strictObject({ entries: z.array(packEntrySchema) }).optional() },
  trim: {
    pack: {
      ...thinkPackPlan,
      lists: [...thinkPackPlan.lists, entriesAt("trace.entries")],
      blocks: ["trace", ...thinkPackPlan.blocks],
    },
    goesOn: showsLeftOut,
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a workspace with cards", input: {} }],

  async handle(input, memory) {
    const slice = await loadPack(memory, input);
    const wanted = input.trace_limit_steps;
    const { place } = slice.scope;
    const { entries, newest } = await readShown(memory, slice.scope, place.trace_doc, wanted);
    const trace = newest.map(toSliceEntry);
    const engine = engineFor(memory, slice, { trace, drafts: slice.board.drafts }, input);
    const view = createPackView(slice.board);
    const shown = new Set(slice.candidates.map(({ id }) => id));
    return {
      ...describePack(memory, slice, engine, "watch_capsule", input),
      trace: {
        entries: entries.map((entry) => {
          const content = clipBytes(entry.content, input.trace_statement_max_bytes);
          return view.entry({ ...entry, content }, shown);
        }),
      },
    };
  },
});
