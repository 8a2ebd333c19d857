import * as z from "zod";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { defineMemory } from "../define-memory.ts";
import { meta, target } from "../fields.ts";
import { cardIds, graphDoc, ref } from "./fields.ts";
import { changedSchema, changeThem } from "./think-change.ts";

export const thinkSetStatus = defineMemory({
  name: "think_set_status",
  title: "Set the status of cards",
  summary:
    "Sets the status of cards, such as open, accepted, rejected or done, and writes a message to the trace.",
  effect: "write",
  input: {
    targets: cardIds.describe("IDs of the cards."),
    status: z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^[a-z0-9][a-z0-9 _-]{0,63}$/, "a word such as open, accepted or rejected")
      .max(64)
      .describe("The status, such as open, accepted, rejected or done."),
    message: z.string().min(1).max(memoryLimits.text).optional().describe("Reason, recorded in the trace."),
    meta: meta.optional().describe("Merged into the meta of each card."),
    target: target.optional(),
    ref,
    graph_doc: graphDoc,
  },
  advanced: ["ref", "graph_doc", "meta"],
  aliases: { id: "targets", ids: "targets", card_id: "targets" },
  output: changedSchema,
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    {
      title: "a refuted hypothesis",
      given: "a workspace with cards",
      input: { targets: ["CARD-1"], status: "rejected", message: "The pool was never full." },
    },
  ],

  handle: ({ targets, status, message, meta, ...asked }, memory) =>
    changeThem(memory, asked, targets, { status, meta }, { format: "think_set_status", message }),
});
