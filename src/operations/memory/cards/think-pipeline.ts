import * as z from "zod";
import { readPipeline } from "../../../domain/memory/cards/pipeline.ts";
import { agentId, longTitle } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, format, target, textOrObject } from "../fields.ts";
import { graphDoc, notesDoc, step, traceDoc } from "../think/fields.ts";
import { writeCards, writtenCardSchema } from "./write-cards.ts";

const stage = (name: string) =>
  textOrObject(`The ${name}: a string, or a card in any form that think_card accepts.`).optional();

export const thinkPipeline = defineMemory({
  name: "think_pipeline",
  title: "Write cards from frame to decision",
  summary:
    "Writes frame, hypothesis, test, evidence and decision in one step, each linked to the previous one. Either everything succeeds or nothing does.",
  effect: "write",
  input: {
    frame: stage("frame"),
    hypothesis: stage("hypothesis"),
    test: stage("test"),
    evidence: stage("evidence"),
    decision: stage("decision"),
    status: z
      .record(z.string().max(32), z.string().max(64))
      .optional()
      .describe('Status of individual stages, such as {"decision": "accepted"}.'),
    note_decision: z.boolean().default(true).describe("Write the decision as a note too. Default: true."),
    note_title: longTitle.optional().describe("Title of that note. Default: Decision."),
    note_format: format.optional(),
    step,
    target: target.optional(),
    branch: branch.optional(),
    graph_doc: graphDoc,
    trace_doc: traceDoc,
    notes_doc: notesDoc,
    agent_id: agentId.optional(),
  },
  advanced: ["branch", "graph_doc", "trace_doc", "notes_doc", "note_title", "note_format", "agent_id"],
  output: {
    branch: z.string(),
    trace_doc: z.string(),
    graph_doc: z.string(),
    cards: z.array(writtenCardSchema.extend({ stage: z.string() })),
    note: z.strictObject({ doc: z.string(), seq: z.int(), ref: z.string() }).optional(),
    last_seq: z.int().optional(),
  },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "a finding and what follows",
      input: {
        hypothesis: "The pool is too small",
        evidence: "CMD: psql -c 'select count(*) from pg_stat_activity'\n40 of 40 connections taken",
        decision: "Pool of 80",
        status: { decision: "accepted" },
      },
    },
  ],

  async handle(input, memory) {
    const { frame, hypothesis, test, evidence, decision, status, note_decision, ...rest } = input;
    const { note_title, note_format, ...asked } = rest;
    const cards = readPipeline({ frame, hypothesis, test, evidence, decision, status });
    const note = note_decision ? { title: note_title, format: note_format } : undefined;
    const { place, outcome, cards: written } = await writeCards(memory, asked, cards, note);
    const { branch, trace_doc, graph_doc, last_seq, entries } = outcome;
    const noted = entries.find(({ doc }) => doc === place.notes_doc && doc !== trace_doc);
    return {
      branch,
      trace_doc,
      graph_doc,
      cards: written.map((one, at) => ({ stage: cards[at]?.type ?? "", ...one })),
      ...(noted && { note: { doc: noted.doc, seq: noted.seq, ref: `${noted.doc}@${noted.seq}` } }),
      ...(last_seq !== undefined && { last_seq }),
    };
  },
});
