import * as z from "zod";
import { type CardType, cardTypes } from "../../../domain/memory/cards/card.ts";
import { type NewCard, readCard, readCardIds } from "../../../domain/memory/cards/read-card.ts";
import { defaultVisibility, draftTag } from "../../../domain/memory/cards/visibility.ts";
import { readFileName } from "../../../domain/memory/decisions/decision.ts";
import { formatRef } from "../../../domain/memory/entry.ts";
import { groundTag } from "../../../domain/memory/ground.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import { agentId } from "../../pipeline/fields.ts";
import type { Example, Toolset } from "../../pipeline/operation.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, target } from "../fields.ts";
import { pinFiles } from "../ground/read-ground.ts";
import { blocks, card, graphDoc, step, supports, traceDoc } from "../think/fields.ts";
import { writeCards, writtenCardSchema } from "./write-cards.ts";

const words = (max: number) => z.string().min(1).max(max).optional();

const input = {
  card: card.optional().describe("The whole card, with more fields, instead of title and text."),
  title: words(memoryLimits.title).describe("What the card says, in one line."),
  text: words(memoryLimits.text).describe("Details, evidence and commands."),
  status: words(60).describe("Status, such as accepted. Default: open."),
  tags: z.array(z.string().min(1).max(128)).max(64).optional().describe("Tags of the card."),
  files: z
    .array(z.string().min(1).max(1_024))
    .max(20)
    .optional()
    .describe(
      'Files the card is based on, such as "src/pool.ts:10-20". If their text changes, the card is marked as moved.',
    ),
  supports,
  blocks,
  step,
  target: target.optional(),
  branch: branch.optional(),
  graph_doc: graphDoc,
  trace_doc: traceDoc,
  agent_id: agentId.optional(),
};

const typeField = {
  type: z
    .string()
    .min(1)
    .max(60)
    .optional()
    .describe(`One of ${cardTypes.join(", ")}. Default: note.`),
};

type CardTool<Name extends string> = {
  name: Name;
  title: string;
  summary: string;
  advice?: string;
  toolset?: Toolset;
  /** If omitted, the tool writes cards of any type. */
  type?: CardType;
  examples: readonly Example<z.input<z.ZodObject<typeof input & Partial<typeof typeField>>>>[];
};

export function defineCardTool<const Name extends string>({ type, ...head }: CardTool<Name>) {
  return defineMemory({
    ...head,
    effect: "write",
    input: { ...(type === undefined && typeField), ...input },
    wire: { card: { type: "object" } },
    advanced: ["branch", "graph_doc", "trace_doc", "agent_id", "status", "tags", "files"],
    output: {
      branch: z.string(),
      trace_doc: z.string(),
      graph_doc: z.string(),
      ...writtenCardSchema.shape,
      last_seq: z.int().optional(),
      graph_ref: z.string().optional(),
    },
    errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "CONFLICT", "STORAGE_ERROR"],

    async handle(
      { card: whole, type: named, title, text, status, tags, supports, blocks, files, ...asked },
      memory,
    ) {
      const read = readCard(whole, type, { type: named, title, text, status, tags });
      const pinned = await pinFiles(memory, (files ?? []).map(readFileName));
      const planned: NewCard = {
        ...read,
        ...(pinned.length > 0 && {
          tags: [...new Set([...read.tags, groundTag])],
          meta: { ...read.meta, ground: { files: pinned } },
        }),
        supports: readCardIds([...read.supports, ...(supports ?? [])], "supports"),
        blocks: readCardIds([...read.blocks, ...(blocks ?? [])], "blocks"),
      };
      const { outcome, cards } = await writeCards(memory, asked, [planned]);
      const { branch, trace_doc, graph_doc, last_seq } = outcome;
      const [written] = cards;
      if (!written) throw new Error("no card was written");
      return {
        branch,
        trace_doc,
        graph_doc,
        ...written,
        ...(last_seq !== undefined && { last_seq, graph_ref: formatRef({ doc: graph_doc, seq: last_seq }) }),
      };
    },
  });
}

const wording: Record<CardType, { article: string; example: string }> = {
  frame: {
    article: "a frame",
    example: "title: Why do logins time out?\ntext: Done when: one cause is confirmed.",
  },
  hypothesis: { article: "a hypothesis", example: "The pool is too small" },
  question: { article: "a question", example: "Who holds the connections?" },
  test: { article: "a test", example: "title: Double the pool on one host\ncmd: bench/login.sh --pool 80" },
  evidence: {
    article: "evidence",
    example: "title: 40 of 40 connections taken\ntext: CMD: psql -c 'select count(*) from pg_stat_activity'",
  },
  decision: { article: "a decision", example: "title: Pool of 80\nstatus: accepted" },
  note: { article: "a note", example: "The on-call rota changes on Monday." },
  update: { article: "an update", example: "The pool has been 80 since noon" },
};

const draftWords = (type: CardType): string =>
  defaultVisibility(type) === draftTag ? " It is a draft: lists show it only with include_drafts." : "";

export function defineAddCard<const Type extends CardType>(type: Type) {
  const { article, example } = wording[type];
  return defineCardTool({
    name: `think_add_${type}`,
    title: `Add ${article}`,
    summary: `Writes ${article} as a card: one entry in the trace and one node in the graph, with its edges.${draftWords(type)}`,
    type,
    examples: [{ title: `${article} on the checkout`, input: { card: example } }],
  });
}

export const thinkAddFrame = defineAddCard("frame");
export const thinkAddHypothesis = defineAddCard("hypothesis");
export const thinkAddQuestion = defineAddCard("question");
export const thinkAddTest = defineAddCard("test");
export const thinkAddEvidence = defineAddCard("evidence");
export const thinkAddDecision = defineAddCard("decision");
export const thinkAddNote = defineAddCard("note");
export const thinkAddUpdate = defineAddCard("update");
