import * as z from "zod";
import { cardFailure } from "../../../domain/memory/cards/failures.ts";
import {
  openSubgoal,
  requireQuestion,
  subgoalId,
  subgoalRelation,
} from "../../../domain/memory/cards/subgoal.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { think } from "../cards/write-cards.ts";
import { defineMemory } from "../define-memory.ts";
import { doc, meta } from "../fields.ts";
import { cardId, ref } from "./fields.ts";
import { nodeStates, resolveWritableRef } from "./think-change.ts";

export const thinkSubgoalOpen = defineMemory({
  name: "think_subgoal_open",
  title: "Open a subgoal",
  summary:
    "Opens a subgoal for a question: a card that leads to a trace and graph of its own. All of it, or nothing.",
  effect: "write",
  input: {
    question_id: cardId.describe("The question that is answered there."),
    message: z.string().min(1).max(memoryLimits.text).optional().describe("What the subgoal is about."),
    meta: meta.optional(),
    ref,
    parent_graph_doc: doc.optional().describe("Document of the question, default graph."),
    parent_trace_doc: doc.optional().describe("Trace of the question, default trace."),
    child_graph_doc: doc.optional().describe("Graph of the subgoal; by default one of its own."),
    child_trace_doc: doc.optional().describe("Trace of the subgoal; by default one of its own."),
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
