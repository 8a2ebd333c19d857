import * as z from "zod";
import { badCard, cardTemplate, cardTypes, isCardType } from "../../../domain/memory/cards/card.ts";
import { readPipeline } from "../../../domain/memory/cards/pipeline.ts";
import { quote } from "../../../kernel/text.ts";
import { agentId, longTitle } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, format, target, textOrObject } from "../fields.ts";
import { graphDoc, notesDoc, step, traceDoc } from "../think/fields.ts";
import { defineCardTool } from "./think-add.ts";
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

export const thinkCard = defineCardTool({
  name: "think_card",
  title: "Write a card",
  summary: "Writes a card of any type to the trace and graph, with what it supports or blocks.",
  advice:
    "Use it for what you believe: a hypothesis, test, evidence, decision or question. context_pack and open read it back.",
  toolset: "daily",
  examples: [
    {
      title: "field by field",
      input: { type: "decision", title: "Pool of 80", text: "Forty were taken at noon." },
    },
    {
      title: "key: value lines",
      input: { card: "type: hypothesis\ntitle: The pool is too small\ntags: pool" },
    },
    {
      title: "for a hypothesis, in a step of the task in focus",
      given: "a task in focus",
      input: {
        card: "type: test\ntitle: Double the pool\ncmd: bench/login.sh --pool 80",
        supports: ["CARD-1"],
        step: "focus",
      },
    },
  ],
});

export const thinkTemplate = defineMemory({
  name: "think_template",
  title: "Show a card template",
  summary: "Shows an empty card of one type with all its fields. Leave the ID out to get the next free one.",
  effect: "read",
  anywhere: true,
  input: {
    type: z
      .string()
      .min(1)
      .max(64)
      .describe(`Type of card: ${cardTypes.join(", ")}.`),
  },
  output: {
    type: z.string(),
    supported_types: z.array(z.string()).optional(),
    template: z.record(z.string(), z.unknown()),
  },
  trim: {
    optional: ["supported_types"],
    item: { key: "template", stub: ({ id, type, title }) => ({ id, type, title }) },
  },
  errors: ["INVALID_PAYLOAD"],
  examples: [{ title: "a test", input: { type: "test" } }],

  async handle({ type: asked }) {
    const type = asked.trim().toLowerCase();
    if (!isCardType(type))
      throw badCard(`${quote(asked, 60)} is not a type of card. The types are ${cardTypes.join(", ")}.`, {
        kind: "type",
        field: "type",
        expected: [...cardTypes],
      });
    return { type, supported_types: [...cardTypes], template: cardTemplate(type) };
  },
});
