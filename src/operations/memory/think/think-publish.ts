import * as z from "zod";
import { cardFailure } from "../../../domain/memory/cards/card.ts";
import { publishedCopy, publishedId } from "../../../domain/memory/cards/change-cards.ts";
import { fingerprint } from "../../../domain/memory/graph.ts";
import { agentId } from "../../pipeline/fields.ts";
import { think } from "../cards/write-cards.ts";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { cardId, graphDoc, ref, traceDoc } from "./fields.ts";
import { nodeStates, resolveWritableRef } from "./think-change.ts";

export const thinkPublish = defineMemory({
  name: "think_publish",
  title: "Publish a card",
  summary: "Writes or updates the shared copy CARD-PUB-<id> of a card, which every view contains.",
  effect: "write",
  input: {
    card_id: cardId.describe("Card to publish."),
    pin: z.boolean().optional().describe("Pin or unpin the copy. Default: unchanged."),
    target: target.optional(),
    ref,
    graph_doc: graphDoc,
    trace_doc: traceDoc,
    agent_id: agentId.optional(),
  },
  advanced: ["ref", "graph_doc", "trace_doc", "agent_id"],
  output: {
    branch: z.string(),
    graph_doc: z.string(),
    card_id: z.string(),
    published_id: z.string(),
    created: z.boolean(),
    updated: z.boolean(),
    trace_seq: z.int().optional(),
    last_seq: z.int().optional(),
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    { title: "a decision", given: "a workspace with cards", input: { card_id: "CARD-3", pin: true } },
  ],

  async handle({ card_id, pin, agent_id: agent, ...asked }, memory) {
    const place = await resolveWritableRef(memory, asked);
    const published_id = publishedId(card_id);
    const agent_id = agent ?? memory.settings.agentId;
    const outcome = await think(memory, place, [card_id, published_id], (facts) => {
      const card = facts.nodes.get(card_id);
      const { workspace, branch, graph_doc: doc } = facts;
      if (!card) throw cardFailure("unknown_card", { workspace, branch, doc, id: card_id });
      const copy = facts.nodes.get(published_id);
      const states = nodeStates([publishedCopy(card, copy, { pin, agent_id })]);
      const [before] = copy ? nodeStates([copy]) : [];
      const [after] = states;
      const updated = !before || !after || fingerprint(before) !== fingerprint(after);
      const entry = {
        kind: "note" as const,
        format: "think_publish",
        title: card.title,
        content: `${card_id} published as ${published_id}`,
        agent_id,
        meta: { card_id: published_id, type: card.type, published_from: card_id },
      };
      return {
        entries: updated ? [{ doc: facts.trace_doc, entry }] : [],
        states: updated ? states : [],
        answer: { created: !copy, updated },
      };
    });
    const { branch, graph_doc, last_seq, entries, answer } = outcome;
    const trace_seq = entries[0]?.seq;
    return {
      branch,
      graph_doc,
      card_id,
      published_id,
      ...answer,
      ...(trace_seq !== undefined && { trace_seq }),
      ...(last_seq !== undefined && { last_seq }),
    };
  },
});
