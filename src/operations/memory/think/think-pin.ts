import * as z from "zod";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, pagination, target } from "../fields.ts";
import { stubNode } from "../graph/graph-schemas.ts";
import { cardSchema } from "../packs/show-pack.ts";
import { cardIds, graphDoc, ref } from "./fields.ts";
import { changedSchema, changeThem, resolveRef } from "./think-change.ts";
import { queryCards } from "./think-query.ts";

export const thinkPin = defineMemory({
  name: "think_pin",
  title: "Pin cards",
  summary: "Pins or unpins cards. Pinned cards, including drafts, appear first in every view.",
  effect: "write",
  input: {
    targets: cardIds.describe("IDs of the cards."),
    pinned: z.boolean().default(true).describe("false unpins. Default: true."),
    target: target.optional(),
    ref,
    graph_doc: graphDoc,
  },
  advanced: ["ref", "graph_doc"],
  aliases: { id: "targets", ids: "targets", card_id: "targets" },
  output: { ...changedSchema, pinned: z.boolean() },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [{ title: "a card", given: "a workspace with cards", input: { targets: ["CARD-1"] } }],

  handle: async ({ targets, pinned, ...asked }, memory) => ({
    ...(await changeThem(memory, asked, targets, { pinned })),
    pinned,
  }),
});

export const thinkPins = defineMemory({
  name: "think_pins",
  title: "Pinned cards",
  summary: "Lists the pinned cards, newest first, including drafts.",
  effect: "read",
  input: {
    target: target.optional(),
    ref,
    graph_doc: graphDoc,
    cursor: cursor.optional(),
    limit: clampedLimit(20),
  },
  advanced: ["ref", "graph_doc"],
  output: { branch: z.string(), graph_doc: z.string(), cards: z.array(cardSchema), pagination },
  trim: { list: { key: "cards", oldest: "last", cursor: ({ last_seq }) => last_seq, stub: stubNode } },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a workspace with cards", input: {} }],

  async handle({ cursor, limit, ...asked }, memory) {
    const place = await resolveRef(memory, asked);
    return queryCards(memory, place, {
      drafts: true,
      pinned: true,
      cursor,
      limit,
    });
  },
});
