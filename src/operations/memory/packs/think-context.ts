import * as z from "zod";
import { assembleCards, countCards } from "../../../domain/memory/views/selection.ts";
import { agentId } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branchName, target } from "../fields.ts";
import { count, graphDoc, step, viewFields } from "../think/fields.ts";
import { loadSlice, planView } from "./load-slice.ts";
import { cardList, cardSchema, showCard, statsSchema, stepFocusSchema } from "./show-pack.ts";
import { otherCards } from "./trim-packs.ts";

export const thinkContext = defineMemory({
  name: "think_context",
  title: "Show the cards that matter now",
  summary: "Shows pinned cards, the open frontier and recent cards, most relevant first.",
  effect: "read",
  input: {
    target: target.optional(),
    branch: branchName.optional().describe("Branch to read the cards from. Can be combined with target."),
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
    adjust: withoutStats,
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

/** Drops the stats, because they also count the cards that were dropped. */
function withoutStats(result: Record<string, unknown>): Record<string, unknown> {
  const { stats: _whole, ...rest } = result;
  return rest;
}
