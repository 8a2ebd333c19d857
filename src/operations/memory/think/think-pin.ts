import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { cardIds, graphDoc, ref } from "./fields.ts";
import { changedSchema, changeThem } from "./think-change.ts";

export const thinkPin = defineMemory({
  name: "think_pin",
  title: "Pin cards",
  summary: "Pins cards, or takes the pin away. Pinned cards come first in every view, drafts too.",
  effect: "write",
  input: {
    targets: cardIds.describe("Ids of the cards."),
    pinned: z.boolean().default(true).describe("False takes the pin away; default true."),
    target: target.optional(),
    ref,
    graph_doc: graphDoc,
  },
  advanced: ["ref", "graph_doc"],
  output: { ...changedSchema, pinned: z.boolean() },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [{ title: "a card", given: "a workspace with cards", input: { targets: ["CARD-1"] } }],

  handle: async ({ targets, pinned, ...asked }, memory) => ({
    ...(await changeThem(memory, asked, targets, { pinned })),
    pinned,
  }),
});
