import * as z from "zod";
import type { CardNode } from "../../../domain/memory/cards/card.ts";
import { dedupRelation, groupDuplicates, mergedStatus } from "../../../domain/memory/cards/change-cards.ts";
import { limitOf } from "../../pipeline/fields.ts";
import { think } from "../cards/write-cards.ts";
import { defineMemory } from "../define-memory.ts";
import { target } from "../fields.ts";
import { cardId, graphDoc, ref } from "./fields.ts";
import { nodeStates, resolveWritableRef } from "./think-change.ts";

export const thinkNominalMerge = defineMemory({
  name: "think_nominal_merge",
  title: "Merge duplicate cards",
  summary:
    "Finds duplicate cards of one type, keeps the oldest and marks the others as merged. A second call changes nothing.",
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
