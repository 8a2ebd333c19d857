import * as z from "zod";
import { checkOp } from "../../../domain/memory/graph.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import type { MemoryStep } from "../../../domain/memory/steps/step.ts";
import { defineMemory } from "../define-memory.ts";
import { meta, target } from "../fields.ts";
import { cardId, graphDoc, ref } from "./fields.ts";
import { resolveWritableRef } from "./think-change.ts";

export const thinkLink = defineMemory({
  name: "think_link",
  title: "Link two cards",
  summary: "Writes an edge between two cards, such as supports or blocks; a message goes into the trace.",
  effect: "write",
  input: {
    from: cardId.describe("Card that the edge begins at."),
    rel: z.string().min(1).max(memoryLimits.word).describe("What it says, such as supports or blocks."),
    to: cardId.describe("Card that the edge leads to."),
    message: z.string().min(1).max(memoryLimits.text).optional().describe("Why, for the trace."),
    meta: meta.optional(),
    target: target.optional(),
    ref,
    graph_doc: graphDoc,
  },
  advanced: ["ref", "graph_doc", "meta"],
  output: {
    branch: z.string(),
    graph_doc: z.string(),
    edge: z.strictObject({ from: z.string(), rel: z.string(), to: z.string() }),
    last_seq: z.int(),
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    {
      title: "evidence for a hypothesis",
      given: "a workspace with cards",
      input: { from: "CARD-2", rel: "supports", to: "CARD-1" },
    },
  ],

  async handle({ from, rel, to, message, meta, ...asked }, memory) {
    const { branch, graph_doc, trace_doc } = await resolveWritableRef(memory, asked);
    const op = checkOp({ op: "edge_upsert", from, rel, to, meta }, 0);
    const steps: MemoryStep[] = [{ do: "apply_graph", branch, doc: graph_doc, ops: [op] }];
    if (message !== undefined)
      steps.push({
        do: "append",
        branch,
        doc: trace_doc,
        entry: {
          kind: "note",
          format: "think_link",
          content: message,
          meta: { from, rel, to },
          agent_id: memory.settings.agentId,
        },
      });
    const [applied] = await memory.commit(steps);
    const { last_seq } = applied as { last_seq: number };
    return { branch, graph_doc, edge: { from, rel, to }, last_seq };
  },
});
