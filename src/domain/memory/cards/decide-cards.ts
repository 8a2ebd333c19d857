import { canonicalJson } from "../../../kernel/json/canonical-json.ts";
import { sha256Hex } from "../../../kernel/sha256.ts";
import { quote } from "../../../kernel/text.ts";
import type { Entry, Meta, NewEntry } from "../entry.ts";
import { edgeKey, type GraphState, type NodeContent } from "../graph.ts";
import { memoryLimits } from "../limits.ts";
import { badCard, type Card, type CardEdge, cardFailure, nameOf, pinTag } from "./card.ts";
import type { NewCard } from "./read-card.ts";
import { stepTag, withVisibility } from "./visibility.ts";

export type CardStep = { task_id: string; step_id: string; path: string };

/** A card to write. `afterPrevious` links the card to the one before it in the same request. */
export type PlannedCard = NewCard & { afterPrevious?: boolean };

export type CardRequest = {
  workspace: string;
  cards: readonly PlannedCard[];
  step?: CardStep | undefined;
  agent_id?: string | undefined;
};

type CardContent = NodeContent;

export type CardFacts = {
  /** Live nodes with the requested IDs or with IDs that may be assigned next. */
  nodes: ReadonlyMap<string, CardContent>;
  /** The first trace entry for each of these IDs. */
  written: ReadonlyMap<string, { seq: number; fingerprint: string }>;
  /** Keys of live edges that begin at the requested cards. */
  edges: ReadonlySet<string>;
  /** The number of the next card without an ID. */
  nextCard: number;
};

export type CardOutcome = {
  card_id: string;
  inserted: boolean;
  /** If the card already existed, the seq of the card's earlier trace entry. */
  trace_seq?: number | undefined;
  nodes_upserted: number;
  edges_upserted: number;
  /** Edge targets that do not exist yet. */
  missing: string[];
};

export type CardWrite = {
  /** The trace entry. If an entry with this `source` is already in the trace, the request is a repetition. */
  entry?: { entry: NewEntry; source: string } | undefined;
  states: GraphState[];
};

export type CardDecision = { writes: CardWrite[]; outcomes: CardOutcome[]; nextCard: number };

export function decideCards(facts: CardFacts, request: CardRequest): CardDecision {
  const nodes = new Map(facts.nodes);
  const known: CardFacts = { ...facts, nodes };
  const decision: CardDecision = { writes: [], outcomes: [], nextCard: facts.nextCard };
  let previous: string | undefined;
  for (const planned of request.cards) {
    const id = planned.id ?? freeId(decision, nodes);
    const link = planned.afterPrevious && previous !== undefined ? [previous] : [];
    const card = toCard(id, planned, request.step);
    const edges = edgesOf(id, [...planned.supports, ...link], planned.blocks);
    const { write, outcome } = decideCard(known, card, edges, request);
    decision.writes.push(write);
    decision.outcomes.push(outcome);
    decision.nextCard = Math.max(decision.nextCard, numberAfter(id));
    nodes.set(id, card);
    previous = id;
  }
  return decision;
}

function freeId(decision: CardDecision, nodes: ReadonlyMap<string, unknown>): string {
  while (nodes.has(`CARD-${decision.nextCard}`)) decision.nextCard += 1;
  return `CARD-${decision.nextCard}`;
}

/** Returns the number after a card ID's number, so that no number that a caller chose is assigned again. */
function numberAfter(id: string): number {
  const [, digits] = /^CARD-(\d{1,9})$/.exec(id) ?? [];
  return digits === undefined ? 0 : Number(digits) + 1;
}

function toCard(id: string, planned: PlannedCard, step: CardStep | undefined): Card {
  const { type, title, text, status, tags: given, meta } = planned;
  const tags = [
    ...new Set([...withVisibility(type, given), ...(step ? [stepTag(step.step_id)] : [])]),
  ].sort();
  const stamped: Meta | undefined = step ? { ...meta, step } : meta;
  return { id, type, title, text, status, tags, meta: stamped };
}

export function edgesOf(from: string, supports: readonly string[], blocks: readonly string[]): CardEdge[] {
  const lead = (rel: string, ids: readonly string[]) =>
    [...new Set(ids)].sort().map((to) => ({ from, rel, to }));
  return [...lead("supports", supports), ...lead("blocks", blocks)];
}

function decideCard(
  facts: CardFacts,
  card: Card,
  edges: readonly CardEdge[],
  { workspace, agent_id }: CardRequest,
): { write: CardWrite; outcome: CardOutcome } {
  if (edges.some(({ to }) => to === card.id))
    throw badCard(`The card ${quote(card.id, 60)} cannot support or block itself.`, {
      kind: "type",
      field: "supports",
    });
  if (card.tags.length > memoryLimits.tags)
    throw badCard(`A card can have at most ${memoryLimits.tags} tags.`, {
      kind: "length",
      field: "card.tags",
    });
  const fingerprint = cardFingerprint(card, edges);
  const there = facts.nodes.get(card.id);
  const before = facts.written.get(card.id);
  const missing = [...new Set(edges.map(({ to }) => to))].filter((id) => !facts.nodes.has(id));
  if (there) {
    const repeated = before ? before.fingerprint === fingerprint : isSameContent(there, card);
    if (!repeated) throw cardFailure("card_taken", { workspace, card_id: card.id });
  }
  const fresh = there === undefined;
  const newEdges = edges.filter((edge) => fresh || (!before && !facts.edges.has(edgeKey(edge))));
  const states: GraphState[] = [
    ...(fresh ? [{ kind: "node" as const, ...card, deleted: false }] : []),
    ...newEdges.map((edge) => ({ kind: "edge" as const, ...edge, deleted: false })),
  ];
  const entry = { entry: traceOf(card, edges, fingerprint, agent_id), source: cardSource(card.id) };
  return {
    write: { states, ...(fresh && { entry }) },
    outcome: {
      card_id: card.id,
      inserted: fresh,
      ...(!fresh && { trace_seq: before?.seq }),
      nodes_upserted: fresh ? 1 : 0,
      edges_upserted: newEdges.length,
      missing,
    },
  };
}

export const cardSource = (id: string): string => `card:${id}`;

/** Returns the fingerprint of everything that the caller sent except the ID, including edges. */
function cardFingerprint({ id: _id, ...content }: Card, edges: readonly CardEdge[]): string {
  const named = edges.map(({ rel, to }) => [rel, to]);
  return sha256Hex(canonicalJson(Object.assign(content, { edges: named }))).slice(0, 32);
}

/** Compares nodes that have no trace entry. Ignores status and pins, because they can change separately. */
function isSameContent(one: CardContent, other: CardContent): boolean {
  const read = ({ type, title, text, tags, meta }: CardContent) =>
    canonicalJson({
      type,
      title,
      text,
      tags: (tags ?? []).filter((tag) => tag !== pinTag),
      meta: meta && Object.keys(meta).length > 0 ? meta : undefined,
    });
  return read(one) === read(other);
}

export const thinkCardFormat = "think_card";

function traceOf(
  card: Card,
  edges: readonly CardEdge[],
  fingerprint: string,
  agent_id: string | undefined,
): NewEntry {
  const named = (rel: string) => edges.filter((edge) => edge.rel === rel).map(({ to }) => to);
  const [supports, blocks] = [named("supports"), named("blocks")];
  return {
    kind: "note",
    title: nameOf(card).slice(0, memoryLimits.title),
    format: thinkCardFormat,
    content: [card.title, card.text].filter((part) => part !== undefined).join("\n\n"),
    agent_id,
    meta: {
      card_id: card.id,
      type: card.type,
      status: card.status,
      tags: [...card.tags],
      fingerprint,
      ...(supports.length > 0 && { supports }),
      ...(blocks.length > 0 && { blocks }),
      ...(card.meta?.["step"] !== undefined && { step: card.meta["step"] }),
    },
  };
}

/** The state of a graph and its trace before cards are written or changed. */
export type ThinkFacts = {
  workspace: string;
  branch: string;
  graph_doc: string;
  trace_doc: string;
  /** Live nodes with the requested IDs or with IDs that may be assigned next. */
  nodes: ReadonlyMap<string, NodeContent & { last_seq: number; last_ts_ms: number }>;
  /** The first trace entry for each of these IDs. */
  written: ReadonlyMap<string, { seq: number; fingerprint: string }>;
  /** Keys of live edges that begin at the requested nodes. */
  edges: ReadonlySet<string>;
  /** The number of the next card without an ID. */
  nextCard: number;
};

export type ThinkEntry = {
  doc: string;
  entry: NewEntry;
  /** If this source is already in the trace, the request is a repetition. */
  source?: string | undefined;
};

/** Written in one transaction, entries first. */
export type ThinkDecision<Answer> = {
  entries: readonly ThinkEntry[];
  states: readonly GraphState[];
  nextCard?: number | undefined;
  answer: Answer;
};

/** What was written, in the order of the decision. */
export type ThinkOutcome<Answer> = {
  branch: string;
  graph_doc: string;
  trace_doc: string;
  entries: Pick<Entry, "seq" | "ts" | "ts_ms" | "doc">[];
  nodes_upserted: number;
  edges_upserted: number;
  last_seq: number | undefined;
  answer: Answer;
};
