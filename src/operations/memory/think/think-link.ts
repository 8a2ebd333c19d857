import * as z from "zod";
import { cardFailure } from "../../../domain/memory/cards/card.ts";
import { type CardLink, withLink } from "../../../domain/memory/cards/card-link.ts";
import type { ThinkDecision, ThinkFacts, ThinkOutcome } from "../../../domain/memory/cards/decide-cards.ts";
import type { NewEntry } from "../../../domain/memory/entry.ts";
import { checkOp } from "../../../domain/memory/graph.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import type { GraphPlace } from "../../../domain/memory/steps/outcomes.ts";
import type { MemoryStep } from "../../../domain/memory/steps/step.ts";
import { ThoughtboxError } from "../../../kernel/errors.ts";
import { quote } from "../../../kernel/text.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { meta, target } from "../fields.ts";
import { findNamesakes } from "../graph/versions.ts";
import { cardId, graphDoc, ref } from "./fields.ts";
import { nodeStates, resolveRef, resolveWritableRef } from "./think-change.ts";

export const thinkLink = defineMemory({
  name: "think_link",
  title: "Link two cards",
  summary:
    "Writes an edge between two cards, such as supports or blocks. The cards may belong to different tasks. A message is added to the trace.",
  effect: "write",
  input: {
    from: cardId.describe("Card that the edge starts from."),
    rel: z.string().min(1).max(memoryLimits.word).describe("Relation, such as supports or blocks."),
    to: cardId.describe("Card that the edge points to."),
    message: z.string().min(1).max(memoryLimits.text).optional().describe("Reason, recorded in the trace."),
    meta: meta.optional(),
    target: target.optional(),
    to_target: target
      .optional()
      .describe(
        "Plan or task that contains the card in `to`. Needed only if several tasks have a card with that ID.",
      ),
    ref,
    graph_doc: graphDoc,
  },
  advanced: ["ref", "graph_doc", "meta"],
  output: {
    branch: z.string(),
    graph_doc: z.string(),
    edge: z.strictObject({ from: z.string(), rel: z.string(), to: z.string() }),
    /** Set if the other card is in another graph. */
    to_branch: z.string().optional(),
    to_doc: z.string().optional(),
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

  async handle({ from, rel, to, message, meta, to_target, ...asked }, memory) {
    const { branch, graph_doc, trace_doc } = await resolveWritableRef(memory, asked);
    const here = { branch, doc: graph_doc };
    const op = checkOp({ op: "edge_upsert", from, rel, to, meta }, 0);
    const entry = message === undefined ? undefined : noteOf(message, { from, rel, to }, memory);
    const link: Link = { from, rel, to, here, trace_doc, entry };
    const named = to_target === undefined ? undefined : await resolveRef(memory, { target: to_target });
    if (named !== undefined && named.graph_doc !== graph_doc)
      return linkAcross(memory, link, { branch: named.branch, doc: named.graph_doc });
    const steps: MemoryStep[] = [{ do: "apply_graph", branch, doc: graph_doc, ops: [op] }];
    if (entry) steps.push({ do: "append", branch, doc: trace_doc, entry });
    try {
      const [applied] = await memory.commit(steps);
      const { last_seq } = applied as { last_seq: number };
      return { branch, graph_doc, edge: { from, rel, to }, last_seq };
    } catch (thrown) {
      if (named !== undefined || !isAbsent(thrown, to)) throw thrown;
      const there = await findElsewhere(memory, here, to);
      if (!there) throw thrown;
      return linkAcross(memory, link, there);
    }
  },
});

type Link = {
  from: string;
  rel: string;
  to: string;
  here: GraphPlace;
  trace_doc: string;
  entry: NewEntry | undefined;
};

const noteOf = (
  content: string,
  edge: { from: string; rel: string; to: string },
  { settings }: MemoryContext,
): NewEntry => ({ kind: "note", format: "think_link", content, meta: edge, agent_id: settings.agentId });

const isAbsent = (thrown: unknown, id: string): boolean =>
  thrown instanceof ThoughtboxError && thrown.reason === "unknown_node" && thrown.facts?.["id"] === id;

/** Finds the card in another graph. Refuses if several other graphs have a card with this ID. */
async function findElsewhere(
  memory: MemoryContext<"INVALID_PAYLOAD">,
  { doc }: GraphPlace,
  to: string,
): Promise<GraphPlace | undefined> {
  const [only, ...others] = await findNamesakes(memory, to, doc);
  if (!only || others.length === 0) return only?.place;
  const places = [only, ...others].map(({ place }) => place);
  const { workspace } = memory;
  return memory.fail(
    "INVALID_PAYLOAD",
    `Several tasks have a card ${quote(to, 100)}: ${places.map((place) => place.branch).join(", ")}. Pass the task as to_target.`,
    {
      details: { hints: [{ kind: "missing", field: "to_target" }], also_in: places },
      recovery: { hint: "See which cards have this ID.", operation: "open", args: { workspace, id: to } },
    },
  );
}

/** Links two cards in one transaction: both cards get the link, or neither does. */
async function linkAcross(
  memory: MemoryContext,
  { from, rel, to, here, trace_doc, entry }: Link,
  there: GraphPlace,
) {
  const outcomes: readonly unknown[] = await memory.commit([
    {
      do: "think",
      branch: here.branch,
      graph_doc: here.doc,
      trace_doc,
      ids: [from],
      decide: (facts) => noteLink(facts, from, { rel, to, ...there }, entry),
    },
    {
      do: "think",
      branch: there.branch,
      graph_doc: there.doc,
      trace_doc: there.doc.replace(/graph$/, "trace"),
      ids: [to],
      decide: (facts) => noteLink(facts, to, { rel, from, ...here }),
    },
  ]);
  const [own] = outcomes as [ThinkOutcome<number>];
  return {
    branch: here.branch,
    graph_doc: here.doc,
    edge: { from, rel, to },
    to_branch: there.branch,
    to_doc: there.doc,
    last_seq: own.last_seq ?? own.answer,
  };
}

/** Adds the link to a card. In the result, `answer` is the seq of the card's previous change. */
function noteLink(facts: ThinkFacts, id: string, link: CardLink, entry?: NewEntry): ThinkDecision<number> {
  const { workspace, branch, graph_doc: doc, trace_doc, nodes } = facts;
  const node = nodes.get(id);
  if (!node) throw cardFailure("unknown_card", { workspace, branch, doc, id });
  const meta = withLink(node.meta, link);
  if (!meta) return { entries: [], states: [], answer: node.last_seq };
  return {
    entries: entry ? [{ doc: trace_doc, entry }] : [],
    states: nodeStates([{ ...node, meta }]),
    answer: node.last_seq,
  };
}
