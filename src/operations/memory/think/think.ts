import * as z from "zod";
import { type CardNode, cardFailure } from "../../../domain/memory/cards/card.ts";
import {
  dedupRelation,
  groupDuplicates,
  mergedStatus,
  publishedCopy,
  publishedId,
} from "../../../domain/memory/cards/change-cards.ts";
import { fingerprint } from "../../../domain/memory/graph.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { agentId, clampedLimit, limitOf } from "../../pipeline/fields.ts";
import { think } from "../cards/write-cards.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, meta, pagination, target } from "../fields.ts";
import { stubNode } from "../graph/graph-schemas.ts";
import { cardSchema } from "../packs/show-pack.ts";
import { cardId, cardIds, graphDoc, ref, traceDoc } from "./fields.ts";
import { changedSchema, changeThem, nodeStates, resolveRef, resolveWritableRef } from "./think-change.ts";
import { queryCards } from "./think-query.ts";

export const thinkPublish = defineMemory({
  name: "think_publish",
  title: "Publish a card",
  summary: "Writes or updates the shared copy CARD-PUB-<id> of a card, which every view shows.",
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

export const thinkPin = defineMemory({
  name: "think_pin",
  title: "Pin cards",
  summary: "Pins or unpins cards. Pinned cards are first in every view, including drafts.",
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
      .describe("The status, such as open, accepted, rejected, done."),
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

export const thinkNominalMerge = defineMemory({
  name: "think_nominal_merge",
  title: "Merge duplicate cards",
  summary:
    "Finds cards of one type that say the same thing, keeps the oldest and marks the others as merged. A second call changes nothing.",
  effect: "write",
  input: {
    candidate_ids: z.array(cardId).max(200).optional().describe("Only these cards. Default: the newest."),
    limit_candidates: limitOf("of the newest cards to compare", { min: 1, max: 1_000, default: 100 }),
    limit_groups: limitOf("groups to merge", { min: 1, max: 100, default: 20 }),
    target: target.optional(),
    ref,
    graph_doc: graphDoc,
  },
  advanced: ["ref", "graph_doc"],
  output: {
    branch: z.string(),
    graph_doc: z.string(),
    groups: z.array(z.strictObject({ canonical: z.string(), duplicates: z.array(z.string()) })),
    merged: z.int(),
    compared: z.int(),
    last_seq: z.int().optional(),
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [{ title: "on the checkout", given: "a workspace with cards", input: {} }],

  async handle({ candidate_ids, limit_candidates, limit_groups, ...asked }, memory) {
    const place = await resolveWritableRef(memory, asked);
    const { branch, graph_doc } = place;
    const at = { branch, doc: graph_doc };
    const { recent } = await memory.memory.selectCards(memory.workspace, at, {
      recent: { drafts: true, limit: limit_candidates },
    });
    const ids = candidate_ids ?? recent.map(({ id }) => id);
    const outcome = await think(memory, place, ids, (facts) => {
      const cards = ids.flatMap((id) => {
        const node = facts.nodes.get(id);
        return node ? [{ ...(node as CardNode), first_seq: facts.written.get(id)?.seq }] : [];
      });
      const groups = groupDuplicates(cards, limit_groups);
      const merged = groups.flatMap(({ canonical, duplicates }) =>
        duplicates.map((id) => ({ id, canonical })),
      );
      return {
        entries: [],
        states: merged.flatMap(({ id, canonical }) => {
          const node = facts.nodes.get(id);
          return node
            ? [
                ...nodeStates([{ ...node, status: mergedStatus }]),
                { kind: "edge" as const, from: id, rel: dedupRelation, to: canonical, deleted: false },
              ]
            : [];
        }),
        answer: { groups, merged: merged.length, compared: cards.length },
      };
    });
    const { last_seq, answer } = outcome;
    return { branch, graph_doc, ...answer, ...(last_seq !== undefined && { last_seq }) };
  },
});
