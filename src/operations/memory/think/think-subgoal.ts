import * as z from "zod";
import { cardFailure } from "../../../domain/memory/cards/card.ts";
import {
  changeCards,
  closedStatus,
  openSubgoal,
  readSubgoal,
  requireQuestion,
  subgoalId,
  subgoalRelation,
} from "../../../domain/memory/cards/change-cards.ts";
import { decideCards } from "../../../domain/memory/cards/decide-cards.ts";
import { readCard } from "../../../domain/memory/cards/read-card.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { think } from "../cards/write-cards.ts";
import { defineMemory } from "../define-memory.ts";
import { doc, meta, textOrObject } from "../fields.ts";
import { cardId, ref } from "./fields.ts";
import { nodeStates, resolveWritableRef } from "./think-change.ts";

export const thinkSubgoalOpen = defineMemory({
  name: "think_subgoal_open",
  title: "Open a subgoal",
  summary:
    "Opens a subgoal for a question: a card with its own trace and graph. Either everything succeeds or nothing does.",
  effect: "write",
  input: {
    question_id: cardId.describe("The question to answer."),
    message: z.string().min(1).max(memoryLimits.text).optional().describe("What the subgoal is about."),
    meta: meta.optional(),
    ref,
    parent_graph_doc: doc.optional().describe("Document that contains the question. Default: graph."),
    parent_trace_doc: doc.optional().describe("Trace for the question. Default: trace."),
    child_graph_doc: doc.optional().describe("Graph of the subgoal. Default: a separate one."),
    child_trace_doc: doc.optional().describe("Trace of the subgoal. Default: a separate one."),
  },
  advanced: ["ref", "parent_graph_doc", "parent_trace_doc", "child_graph_doc", "child_trace_doc", "meta"],
  output: {
    branch: z.string(),
    subgoal_id: z.string(),
    created: z.boolean(),
    parent: z.strictObject({ graph_doc: z.string(), trace_doc: z.string() }),
    child: z.strictObject({ graph_doc: z.string(), trace_doc: z.string() }),
    last_seq: z.int().optional(),
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [{ title: "for a question", given: "a workspace with cards", input: { question_id: "CARD-4" } }],

  async handle({ question_id, message, meta, ref, ...docs }, memory) {
    const place = await resolveWritableRef(memory, {
      ref,
      graph_doc: docs.parent_graph_doc,
      trace_doc: docs.parent_trace_doc,
    });
    const subgoal_id = subgoalId(question_id);
    const slug = subgoal_id.replace(/[^A-Za-z0-9._-]/g, "-").slice(0, 100);
    const child = {
      graph_doc: docs.child_graph_doc ?? `${slug}-graph`,
      trace_doc: docs.child_trace_doc ?? `${slug}-trace`,
    };
    const outcome = await think(memory, place, [question_id, subgoal_id], (facts) => {
      const { workspace, branch, graph_doc: doc } = facts;
      const question = facts.nodes.get(question_id);
      if (!question) throw cardFailure("unknown_card", { workspace, branch, doc, id: question_id });
      requireQuestion(question, workspace);
      const created = !facts.nodes.has(subgoal_id);
      const noteIn = (where: string, content: string) => ({
        doc: where,
        entry: {
          kind: "note" as const,
          format: "think_subgoal_open",
          title: question.title,
          content,
          agent_id: memory.settings.agentId,
          meta: { card_id: subgoal_id, question_id },
        },
      });
      return {
        entries: created
          ? [
              noteIn(facts.trace_doc, message ?? `${subgoal_id} opened for ${question_id}`),
              noteIn(child.trace_doc, message ?? `Answers ${question_id}: ${question.title ?? ""}`.trim()),
            ]
          : [],
        states: created
          ? [
              ...nodeStates([openSubgoal(question, { branch, ...child }, { message, meta })]),
              {
                kind: "edge" as const,
                from: subgoal_id,
                rel: subgoalRelation,
                to: question_id,
                deleted: false,
              },
            ]
          : [],
        answer: { created },
      };
    });
    const { branch, graph_doc, trace_doc, last_seq, answer } = outcome;
    return {
      branch,
      subgoal_id,
      ...answer,
      parent: { graph_doc, trace_doc },
      child,
      ...(last_seq !== undefined && { last_seq }),
    };
  },
});

export const thinkSubgoalClose = defineMemory({
  name: "think_subgoal_close",
  title: "Close a subgoal",
  summary: "Closes a subgoal and its question. The result becomes a card that supports the question.",
  effect: "write",
  input: {
    subgoal_id: cardId.describe("ID of the subgoal, as think_subgoal_open returned it."),
    return_card: textOrObject(
      "The result, in any form that think_card accepts. It supports the question.",
    ).optional(),
    ref,
    parent_graph_doc: doc.optional().describe("Document that contains the question. Default: graph."),
    parent_trace_doc: doc.optional().describe("Trace for the question. Default: trace."),
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
      const { question_id, child, result } = readSubgoal(subgoal, workspace);
      const none: string[] = [];
      // A subgoal that is already closed keeps its first result, and its question keeps its status.
      if (subgoal.status === closedStatus)
        return { entries: [], states: [], answer: { question_id, changed: none, card_id: result } };
      const where = { workspace, branch, doc };
      const answered = facts.nodes.has(question_id)
        ? changeCards(facts.nodes, [question_id], { status: card ? "answered" : closedStatus }, where)
        : [];
      const agent_id = memory.settings.agentId;
      const written =
        card &&
        decideCards(facts, {
          workspace,
          cards: [{ ...card, supports: [...card.supports, question_id] }],
          agent_id,
        });
      const card_id = written?.outcomes[0]?.card_id;
      const meta = card_id === undefined ? undefined : { subgoal: { question_id, child, result: card_id } };
      const closed = changeCards(facts.nodes, [subgoal_id], { status: closedStatus, meta }, where);
      const changed = [...closed, ...answered];
      return {
        entries: written?.writes.flatMap(({ entry }) => (entry ? [{ doc: trace_doc, ...entry }] : [])) ?? [],
        states: [...nodeStates(changed), ...(written?.writes.flatMap(({ states }) => states) ?? [])],
        ...(written && { nextCard: written.nextCard }),
        answer: {
          question_id,
          changed: changed.map(({ id }) => id),
          card_id,
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
