import * as z from "zod";
import { assembleCards, chooseNext } from "../../../domain/memory/views/selection.ts";
import { agentId } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { stubNode } from "../graph/graph-schemas.ts";
import { graphDoc, ref, step, viewFields } from "../think/fields.ts";
import { engineFor } from "./describe-slice.ts";
import { loadSlice, planView } from "./load-slice.ts";
import { cardSchema, engineSchema, showCard, stepFocusSchema } from "./show-pack.ts";

export const thinkNext = defineMemory({
  name: "think_next",
  title: "Choose the next card",
  summary: "Shows the card to continue with, the reason and the next call.",
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
