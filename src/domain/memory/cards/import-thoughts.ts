import { deriveEdges } from "../../cipher/edges.ts";
import type { CipherStep, CipherType } from "../../cipher/notation.ts";
import { parseCipher } from "../../cipher/parse.ts";
import { nodeId } from "../../ledger/address.ts";
import { memoryLimits } from "../limits.ts";
import { type CardEdge, type CardType, openStatus } from "./card.ts";
import type { NewCard } from "./read-card.ts";

/** A thought as it stands in the ledger. */
export type ImportedThought = {
  thought: string;
  thoughtNumber: number;
  branchId?: string | undefined;
  timestamp: string;
  seq: number;
};

const typeOf: Partial<Record<CipherType, CardType>> = {
  H: "hypothesis",
  E: "evidence",
  C: "decision",
  Q: "question",
  X: "update",
};

export type ImportedCard = NewCard & { id: string; seq: number; ts_ms: number };

export type ThoughtImport = {
  cards: ImportedCard[];
  /** Besides supports and blocks: `revises`. */
  edges: CardEdge[];
  /** What later thoughts did to cards: rejected, or superseded by a revision. */
  statuses: ReadonlyMap<string, string>;
};

type Chain = { steps: Map<number, { step: CipherStep; thought: ImportedThought }> };

/**
 * Hypotheses, evidence, conclusions, questions and rejections of a session as cards with their edges. Ids follow from
 * the place in the ledger, so that importing twice, or again after more thoughts, writes each card once.
 */
export function importThoughts(sessionId: string, thoughts: readonly ImportedThought[]): ThoughtImport {
  const chains = new Map<string, Chain>();
  for (const thought of thoughts) {
    const chain = chains.get(thought.branchId ?? "") ?? { steps: new Map() };
    chains.set(thought.branchId ?? "", chain);
    for (const step of parseCipher(thought.thought)?.steps ?? [])
      if (!chain.steps.has(step.number)) chain.steps.set(step.number, { step, thought });
  }
  const cards: ImportedCard[] = [];
  const edges: CardEdge[] = [];
  const statuses = new Map<string, string>();
  for (const [branchId, { steps }] of chains) {
    const idOf = (number: number): string | undefined => {
      const own = steps.get(number);
      if (own) return typeOf[own.step.type] && cardIdOf(sessionId, branchId, number);
      const main = chains.get("")?.steps.get(number);
      return main && typeOf[main.step.type] && cardIdOf(sessionId, "", number);
    };
    const related = new Map<string, { supports: string[]; blocks: string[] }>();
    for (const { from, to, relation } of deriveEdges([...steps.values()].map(({ step }) => step))) {
      const [source, target] = [idOf(from), idOf(to)];
      if (relation === "rejects" && target !== undefined) statuses.set(target, "rejected");
      if (relation === "revises" && target !== undefined) statuses.set(target, "superseded");
      if (source === undefined || target === undefined || source === target) continue;
      const named = related.get(source) ?? { supports: [], blocks: [] };
      related.set(source, named);
      if (relation === "supports") named.supports.push(target);
      else if (relation === "revises") edges.push({ from: source, rel: "revises", to: target });
      else named.blocks.push(target);
    }
    for (const { step, thought } of steps.values()) {
      const type = typeOf[step.type];
      if (!type || step.content.trim() === "") continue;
      const id = cardIdOf(sessionId, branchId, step.number);
      cards.push(toCard(id, type, step, thought, sessionId, related.get(id)));
    }
  }
  const written = new Set(cards.map(({ id }) => id));
  return {
    cards: cards.map((card) => ({
      ...card,
      supports: card.supports.filter((id) => written.has(id)),
      blocks: card.blocks.filter((id) => written.has(id)),
    })),
    edges: edges.filter(({ from, to }) => written.has(from) && written.has(to)),
    statuses: new Map([...statuses].filter(([id]) => written.has(id))),
  };
}

const cardIdOf = (sessionId: string, branchId: string, number: number): string =>
  `CARD-${sessionId}${branchId === "" ? "" : `-${branchId}`}-S${number}`;

function toCard(
  id: string,
  type: CardType,
  { number, content }: CipherStep,
  thought: ImportedThought,
  sessionId: string,
  edges: { supports: string[]; blocks: string[] } | undefined,
): ImportedCard {
  const [title = "", ...rest] = content.trim().split("\n");
  const text = rest.join("\n").trim();
  return {
    id,
    type,
    title: title.trim().slice(0, memoryLimits.title),
    ...((text !== "" || title.length > memoryLimits.title) && {
      text: (title.length > memoryLimits.title ? content.trim() : text).slice(0, memoryLimits.text),
    }),
    status: type === "decision" ? "accepted" : openStatus,
    tags: type === "update" ? ["ledger", "rejection"] : ["ledger"],
    meta: {
      thought: nodeId(sessionId, { branchId: thought.branchId, thoughtNumber: thought.thoughtNumber }),
      cipher_step: number,
    },
    supports: edges?.supports ?? [],
    blocks: edges?.blocks ?? [],
    seq: thought.seq,
    ts_ms: Date.parse(thought.timestamp),
  };
}
