import * as z from "zod";
import { limits } from "../../../domain/ledger/limits.ts";
import { nameOf } from "../../../domain/memory/cards/card.ts";
import {
  decisionStates,
  isAbout,
  nameFile,
  readDecision,
  stateOfDecision,
} from "../../../domain/memory/decisions/decision.ts";
import { createRelevance } from "../../../domain/recall/compose-recall.ts";
import { type LinkedCard, maxLinks } from "../../../ports/memory/memory-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, describePage, pagination } from "../fields.ts";
import { type Doubt, groundShape, markCards } from "../ground/read-ground.ts";
import { checkoutOrDefault } from "../scope.ts";
import { resolveSince } from "../workspace/changes.ts";

const named = z.strictObject({ id: z.string(), title: z.string().optional() });

export const decisionSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  state: z.enum(decisionStates),
  chosen: z.string().optional(),
  because: z.string().optional(),
  rejected: z.array(z.strictObject({ option: z.string(), why: z.string().optional() })).optional(),
  files: z.array(z.string()).optional(),
  ...groundShape,
  commit: z.string().optional(),
  at: z.string().optional(),
  thought: z.string().optional(),
  reverses: z.array(z.string()).optional(),
  reversed_by: z.string().optional(),
  /** Reversed decisions that this one relies on. */
  rests_on_reversed: z.array(named).optional(),
  text: z.string().optional(),
  branch: z.string().optional(),
  doc: z.string().optional(),
  last_seq: z.int(),
});
export type ShownDecision = z.input<typeof decisionSchema>;

/** Reads the decisions on the checkout, last changed first. */
export async function readDecisions(
  memory: MemoryContext,
): Promise<{ card: LinkedCard; shown: ShownDecision }[]> {
  if (!memory.state) return [];
  const { cards } = await memory.memory.linkedCards(memory.workspace, {
    checkout: checkoutOrDefault(memory),
    facets: ["type:decision"],
    drafts: true,
    limit: maxLinks,
  });
  const marksOf = await markCards(memory, cards);
  return cards
    .map((card) => {
      const { doubts, ground } = marksOf(card);
      return { card, shown: { ...showDecision(card, doubts), ...ground } };
    })
    .sort((one, other) => other.card.last_seq - one.card.last_seq);
}

function showDecision(card: LinkedCard, doubts: readonly Doubt[]): ShownDecision {
  const { chosen, because, rejected, files, commit, reverses, reversedBy, thought, at } = readDecision(card);
  return {
    id: card.id,
    title: nameOf(card),
    state: stateOfDecision(card, doubts),
    ...(chosen !== undefined && { chosen }),
    ...(because !== undefined && { because }),
    ...(rejected.length > 0 && { rejected: [...rejected] }),
    ...(files.length > 0 && { files: files.map(nameFile) }),
    ...(commit !== undefined && { commit }),
    at: at ?? new Date(card.last_ts_ms).toISOString(),
    ...(thought !== undefined && { thought }),
    ...(reverses.length > 0 && { reverses: [...reverses] }),
    ...(reversedBy !== undefined && { reversed_by: reversedBy }),
    ...(doubts.length > 0 && { rests_on_reversed: [...doubts] }),
    ...(chosen === undefined && card.text !== undefined && { text: card.text }),
    branch: card.branch,
    doc: card.doc,
    last_seq: card.last_seq,
  };
}

/** The minimum relevance, from 0 to 1, of a decision that matches a question. */
const leastRelevance = 0.2;

export const decisions = defineMemory({
  name: "decisions",
  title: "List decisions",
  summary:
    "Lists the workspace's decisions, most recently changed first, with rejected options, reasons and whether each still applies.",
  effect: "read",
  input: {
    question: z
      .string()
      .min(1)
      .max(limits.query)
      .optional()
      .describe("Only decisions about this question in plain words, best match first."),
    file: z.string().min(1).max(1_024).optional().describe("Only decisions about this file."),
    state: z
      .enum(decisionStates)
      .optional()
      .describe("holds, in_doubt (based on a reversed decision) or reversed. Default: all."),
    since: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('Only decisions made or changed since an ISO time, a seq or, with "me", your last write.'),
    cursor: cursor.optional(),
    limit: clampedLimit(20),
  },
  advanced: ["cursor"],
  output: { decisions: z.array(decisionSchema), pagination },
  trim: {
    list: {
      key: "decisions",
      oldest: "last",
      cursor: ({ last_seq }) => last_seq,
      stub: ({ id, title, state, last_seq }) => ({ id, title: String(title).slice(0, 60), state, last_seq }),
    },
  },
  errors: ["INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    { title: "all of them", given: "a workspace with cards", input: {} },
    { title: "about a file", given: "a workspace with cards", input: { file: "src/pool.ts" } },
  ],

  async handle({ question, file, state, since, cursor, limit }, memory) {
    const from = since === undefined ? 0 : (await resolveSince(memory, since)).seq;
    const wanted = (await readDecisions(memory)).filter(
      ({ card, shown }) =>
        card.last_seq > from &&
        (state === undefined || shown.state === state) &&
        (file === undefined || isAbout(readDecision(card), file)),
    );
    const found = question === undefined ? wanted : rank(wanted, question);
    const rest = found.filter(({ card }) => cursor === undefined || card.last_seq < cursor);
    const page = rest.slice(0, limit).map(({ shown }) => shown);
    return {
      decisions: page,
      pagination: describePage({
        cursor,
        limit,
        count: page.length,
        hasMore: rest.length > page.length,
        // Results by relevance cannot be continued with a cursor.
        next: question === undefined ? page.at(-1)?.last_seq : undefined,
      }),
    };
  },
});

/** Ranks decisions. If the question is the ID of a decision, returns only that decision. */
function rank<Found extends { card: LinkedCard }>(found: readonly Found[], question: string): Found[] {
  const named = found.filter(({ card }) => card.id.toLowerCase() === question.trim().toLowerCase());
  if (named.length > 0) return named;
  const textOf = ({ card }: Found): string => `${card.title ?? ""}\n${card.text ?? ""}`;
  const relevanceOf = createRelevance(question, found.map(textOf));
  return found
    .map((one) => ({ one, relevance: relevanceOf(textOf(one)) }))
    .filter(({ relevance }) => relevance >= leastRelevance)
    .sort((a, b) => b.relevance - a.relevance || b.one.card.last_seq - a.one.card.last_seq)
    .map(({ one }) => one);
}
