import * as z from "zod";
import { changeCards } from "../../../domain/memory/cards/change-cards.ts";
import { decideCards } from "../../../domain/memory/cards/decide-cards.ts";
import { cardFailure } from "../../../domain/memory/cards/failures.ts";
import { readCard } from "../../../domain/memory/cards/read-card.ts";
import { readSubgoal } from "../../../domain/memory/cards/subgoal.ts";
import { think } from "../cards/write-cards.ts";
import { defineMemory } from "../define-memory.ts";
import { doc, textOrObject } from "../fields.ts";
import { cardId, ref } from "./fields.ts";
import { nodeStates, resolveWritableRef } from "./think-change.ts";

export const thinkSubgoalClose = defineMemory({
  name: "think_subgoal_close",
  title: "Close a subgoal",
  summary: "Closes a subgoal and its question; what came out returns as a card that supports the question.",
  effect: "write",
  input: {
    subgoal_id: cardId.describe("The subgoal, as think_subgoal_open named it."),
    return_card: textOrObject(
      "What came out, in any form that think_card takes; it supports the question.",
    ).optional(),
    ref,
    parent_graph_doc: doc.optional().describe("Document of the question, default graph."),
    parent_trace_doc: doc.optional().describe("Trace of the question, default trace."),
  },
  advanced: ["ref", "parent_graph_doc", "parent_trace_doc"],
  output: {
    branch: z.string(),
    graph_doc: z.string(),
    subgoal_id: z.string(),
    question_id: z.string(),
    card_id: z.string().optional(),
    changed: z.array(z.string()),
    last_seq: z.int().optional(),
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "CONFLICT", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    {
      title: "with an answer",
      given: "a workspace with a subgoal",
      input: {
        subgoal_id: "CARD-SUB-CARD-4",
        return_card: "type: evidence\ntitle: The batch job holds them",
      },
    },
  ],

  async handle({ subgoal_id, return_card, ref, parent_graph_doc, parent_trace_doc }, memory) {
    const place = await resolveWritableRef(memory, {
      ref,
      graph_doc: parent_graph_doc,
      trace_doc: parent_trace_doc,
    });
    const card = return_card === undefined ? undefined : readCard(return_card);
    const question = subgoal_id.replace(/^CARD-SUB-/, "");
    const ids = [subgoal_id, question, ...(card?.id === undefined ? [] : [card.id])];
    const outcome = await think(memory, place, ids, (facts) => {
      const { workspace, branch, graph_doc: doc, trace_doc } = facts;
      const subgoal = facts.nodes.get(subgoal_id);
      if (!subgoal) throw cardFailure("unknown_card", { workspace, branch, doc, id: subgoal_id });
      const { question_id } = readSubgoal(subgoal, workspace);
      const where = { workspace, branch, doc };
      const closed = changeCards(facts.nodes, [subgoal_id], { status: "closed" }, where);
      const answered = facts.nodes.has(question_id)
        ? changeCards(facts.nodes, [question_id], { status: card ? "answered" : "closed" }, where)
        : [];
      const agent_id = memory.settings.agentId;
      const written =
        card &&
        decideCards(facts, {
          workspace,
          cards: [{ ...card, supports: [...card.supports, question_id] }],
          agent_id,
        });
      const changed = [...closed, ...answered];
      return {
        entries: written?.writes.flatMap(({ entry }) => (entry ? [{ doc: trace_doc, ...entry }] : [])) ?? [],
        states: [...nodeStates(changed), ...(written?.writes.flatMap(({ states }) => states) ?? [])],
        ...(written && { nextCard: written.nextCard }),
        answer: {
          question_id,
          changed: changed.map(({ id }) => id),
          card_id: written?.outcomes[0]?.card_id,
        },
      };
    });
    const { branch, graph_doc, last_seq, answer } = outcome;
    const { card_id, ...rest } = answer;
    return {
      branch,
      graph_doc,
      subgoal_id,
      ...rest,
      ...(card_id !== undefined && { card_id }),
      ...(last_seq !== undefined && { last_seq }),
    };
  },
});
