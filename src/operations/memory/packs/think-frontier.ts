import * as z from "zod";
import { frontierOf } from "../../../domain/memory/views/selection.ts";
import { agentId } from "../../pipeline/fields.ts";
import { degradationSchema } from "../../pipeline/fit/pack.ts";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { frontierFields, graphDoc, ref, step, viewFields } from "../think/fields.ts";
import { frontierLimits, loadSlice, planView } from "./load-slice.ts";
import { frontierSchema, showCard, showFrontier, stepFocusSchema } from "./show-pack.ts";
import { cardsAt, otherCards } from "./trim-packs.ts";

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
