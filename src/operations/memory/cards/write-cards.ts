import * as z from "zod";
import type { Card } from "../../../domain/memory/cards/card.ts";
import {
  decideCards,
  type PlannedCard,
  type ThinkDecision,
  type ThinkFacts,
  type ThinkOutcome,
} from "../../../domain/memory/cards/decide-cards.ts";
import { decisionNote } from "../../../domain/memory/cards/pipeline.ts";
import { formatRef } from "../../../domain/memory/entry.ts";
import { findAnchor, isAnchorId } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import type { MemoryStep } from "../../../domain/memory/steps/step.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { loadAnchors } from "../anchors/read-anchor.ts";
import { refuseLedger, resolveWritableDocs } from "../scope.ts";
import { resolveStep } from "../think/resolve-step.ts";

type ThinkCodes = "INVALID_PAYLOAD" | "UNKNOWN_ID";

type CardDocs = { branch: string | undefined; graph_doc: string; trace_doc: string };

/** In one transaction, reads the facts about `ids`, lets the rules decide, and writes the result. */
export async function think<Answer>(
  memory: MemoryContext,
  { branch, graph_doc, trace_doc }: CardDocs,
  ids: readonly string[],
  decide: (facts: ThinkFacts) => ThinkDecision<Answer>,
): Promise<ThinkOutcome<Answer>> {
  const { outcome } = await thinkAfter(memory, [], { branch, graph_doc, trace_doc }, ids, decide);
  return outcome;
}

/** In one transaction, runs the steps in `first`, then changes the cards. */
async function thinkAfter<Answer>(
  memory: MemoryContext,
  first: readonly MemoryStep[],
  { branch, graph_doc, trace_doc }: CardDocs,
  ids: readonly string[],
  decide: (facts: ThinkFacts) => ThinkDecision<Answer>,
): Promise<{ before: unknown[]; outcome: ThinkOutcome<Answer> }> {
  const outcomes: readonly unknown[] = await memory.commit([
    ...first,
    { do: "think", branch, graph_doc, trace_doc, ids, decide },
  ]);
  return { before: outcomes.slice(0, -1), outcome: outcomes.at(-1) as ThinkOutcome<Answer> };
}

export type AskedCards = {
  target?: string | undefined;
  branch?: string | undefined;
  graph_doc?: string | undefined;
  trace_doc?: string | undefined;
  notes_doc?: string | undefined;
  step?: string | undefined;
  agent_id?: string | undefined;
};

type DecisionNote = { title?: string | undefined; format?: string | undefined };

/** Writes to the trace and the graph in one transaction, after the steps in `first`. */
export async function writeCards(
  memory: MemoryContext<ThinkCodes>,
  { step: askedStep, agent_id: agent, ...asked }: AskedCards,
  cards: readonly PlannedCard[],
  note?: DecisionNote,
  first: readonly MemoryStep[] = [],
) {
  if (asked.branch !== undefined) refuseLedger(memory, asked.branch);
  const place = await resolveWritableDocs(memory, asked);
  const explicit = Object.entries(asked).some(([name, value]) => name !== "target" && value !== undefined);
  const found = await resolveStep(memory, place.target, askedStep, explicit);
  const step = found && { task_id: found.task_id, step_id: found.step_id, path: found.path };
  const agent_id = agent ?? memory.settings.agentId;
  const request = { workspace: memory.workspace, cards, step, agent_id };
  const ids = cards.flatMap(({ id, supports, blocks }) => [
    ...(id === undefined ? [] : [id]),
    ...supports,
    ...blocks,
  ]);
  const { before, outcome } = await thinkAfter(memory, first, place, ids, (facts) => {
    const { writes, outcomes, nextCard } = decideCards(facts, request);
    const content =
      note &&
      decisionNote(
        cards,
        outcomes.map(({ card_id }) => card_id),
      );
    const fresh = outcomes.some(({ inserted }) => inserted);
    return {
      entries: [
        ...writes.flatMap(({ entry }) => (entry ? [{ doc: place.trace_doc, ...entry }] : [])),
        ...(content !== undefined && fresh
          ? [
              {
                doc: place.notes_doc,
                entry: {
                  kind: "note" as const,
                  title: note?.title ?? "Decision",
                  format: note?.format ?? "text",
                  content,
                  agent_id,
                  ...(step && { meta: { step } }),
                },
              },
            ]
          : []),
      ],
      states: writes.flatMap(({ states }) => states),
      nextCard,
      answer: outcomes,
    };
  });
  await warnOfStrays(memory, cards);
  return { place, outcome, before, cards: describeCards(memory, outcome) };
}

/** Warns of unknown anchors. A misspelt anchor would separate its cards from the rest of their area. */
async function warnOfStrays(memory: MemoryContext, cards: readonly Pick<Card, "tags">[]): Promise<void> {
  const tags = [...new Set(cards.flatMap((card) => card.tags.filter(isAnchorId)))];
  if (tags.length === 0) return;
  const known = await loadAnchors(memory);
  const strays = tags.filter((tag) => findAnchor(known, tag) === undefined);
  if (strays.length === 0) return;
  memory.warn({
    code: "ANCHOR_UNREGISTERED",
    message: `No anchor is registered for ${strays.slice(0, 5).join(", ")}. Register the anchor with macro_anchor_note, or correct the tag.`,
    recovery: {
      hint: "List the existing anchors.",
      operation: "anchors_list",
      args: { workspace: memory.workspace },
    },
  });
}

export const writtenCardSchema = z.strictObject({
  card_id: z.string(),
  inserted: z.boolean(),
  trace_seq: z.int().optional(),
  trace_ref: z.string().optional(),
  graph_applied: z.strictObject({ nodes_upserted: z.int(), edges_upserted: z.int() }),
});

function describeCards(
  { warn, workspace }: Pick<MemoryContext, "warn" | "workspace">,
  { entries, answer, trace_doc, branch, graph_doc }: ThinkOutcome<ReturnType<typeof decideCards>["outcomes"]>,
): z.infer<typeof writtenCardSchema>[] {
  const fresh = entries.filter(({ doc }) => doc === trace_doc).map(({ seq }) => seq);
  const missing = [...new Set(answer.flatMap((one) => one.missing))];
  if (missing.length > 0)
    warn({
      code: "EDGE_TARGET_MISSING",
      message: `These cards do not exist yet: ${missing.slice(0, 5).join(", ")}. The edges are kept and appear once the cards exist.`,
      recovery: {
        hint: "List the existing cards.",
        operation: "think_query",
        args: { workspace, ref: branch, graph_doc },
      },
    });
  return answer.map(({ card_id, inserted, trace_seq: earlier, nodes_upserted, edges_upserted }) => {
    const trace_seq = inserted ? fresh.shift() : earlier;
    return {
      card_id,
      inserted,
      ...(trace_seq !== undefined && { trace_seq, trace_ref: formatRef({ doc: trace_doc, seq: trace_seq }) }),
      graph_applied: { nodes_upserted, edges_upserted },
    };
  });
}
