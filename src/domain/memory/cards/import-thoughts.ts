import type { ThoughtRelation } from "../../analysis/cipher-graph.ts";
import { createRejections, type Link } from "../../analysis/rejections.ts";
import type { CipherStep, CipherType } from "../../cipher/notation.ts";
import { parseCipher } from "../../cipher/parse.ts";
import type { ChainedThought } from "../../ledger/thought.ts";
import { type Address, nodeId } from "../../ledger/thought.ts";
import { memoryLimits } from "../limits.ts";
import { type CardEdge, type CardType, openStatus } from "./card.ts";
import type { NewCard } from "./read-card.ts";

const typeOf: Partial<Record<CipherType, CardType>> = {
  H: "hypothesis",
  E: "evidence",
  C: "decision",
  Q: "question",
  X: "update",
};

const edgeOf: Readonly<Record<ThoughtRelation, "supports" | "blocks" | "revises">> = {
  rests_on: "supports",
  supports: "supports",
  against: "blocks",
  rejects: "blocks",
  revises: "revises",
};

/** The new status of a card, by the relation that a later thought states. */
const fateOf: Partial<Record<ThoughtRelation, string>> = { rejects: "rejected", revises: "superseded" };

export type ImportedCard = NewCard & { id: string; seq: number; ts_ms: number };

export type ThoughtImport = {
  cards: ImportedCard[];
  /** `supports`, `blocks` and `revises`. */
  edges: CardEdge[];
  /** New statuses of cards that later thoughts rejected or revised, by ID. */
  statuses: ReadonlyMap<string, string>;
};

/**
 * Converts a session's hypotheses, evidence, conclusions, questions and rejections to cards with edges. Card
 * IDs are derived from the session, branch and step, so importing the session again creates no duplicate
 * cards.
 */
export function importThoughts(sessionId: string, thoughts: readonly ChainedThought[]): ThoughtImport {
  const shelf = createShelf(sessionId);
  const revisions = new Map<string, CardEdge>();
  const statuses = new Map<string, string>();
  const { add } = createRejections();
  for (const entry of thoughts) {
    const { data } = entry;
    const steps = data.cipher ? (parseCipher(data.thought)?.steps ?? []) : [];
    for (const step of steps) shelf.put(entry, step);
    const revision: Link[] = data.revises ? [{ from: data, to: data.revises, relation: "revises" }] : [];
    for (const { from, fromStep, to, step, relation } of [...add(data, steps, steps), ...revision]) {
      const [source, target] = [shelf.find(from, fromStep), shelf.find(to, step)];
      const fate = fateOf[relation];
      if (target && fate !== undefined && target !== source) statuses.set(target.id, fate);
      if (!source || !target || source === target) continue;
      const rel = edgeOf[relation];
      if (rel === "revises")
        revisions.set(`${source.id} ${target.id}`, { from: source.id, rel, to: target.id });
      else if (!source[rel].includes(target.id)) source[rel].push(target.id);
    }
  }
  return { cards: shelf.cards, edges: [...revisions.values()], statuses };
}

type ShelvedCard = ImportedCard & { supports: string[]; blocks: string[] };

/** Collects the created cards, by the step or thought that they represent. */
function createShelf(sessionId: string) {
  const cards: ShelvedCard[] = [];
  const ids = new Set<string>();
  const bySteps = new Map<string, ShelvedCard>();
  const byThoughts = new Map<string, ShelvedCard[]>();
  const thoughtKey = (at: Address): string => nodeId("", at);
  const stepKey = (at: Address, step: number): string => `${thoughtKey(at)} S${step}`;

  /** Returns a card's ID. If a step number repeats in a chain, the ID also contains the thought number. */
  function chooseId({ branchId, thoughtNumber }: Address, step: number): string {
    const id = `CARD-${sessionId}${branchId === undefined ? "" : `-${branchId}`}-S${step}`;
    return ids.has(id) ? `${id}-T${thoughtNumber}` : id;
  }

  return {
    cards,
    put(entry: ChainedThought, step: CipherStep): void {
      const type = typeOf[step.type];
      const key = stepKey(entry.data, step.number);
      if (!type || step.content.trim() === "" || bySteps.has(key)) return;
      const card = toCard(chooseId(entry.data, step.number), type, step, entry, sessionId);
      cards.push(card);
      ids.add(card.id);
      bySteps.set(key, card);
      const beside = byThoughts.get(thoughtKey(entry.data));
      if (beside) beside.push(card);
      else byThoughts.set(thoughtKey(entry.data), [card]);
    },
    /** Finds the card for a step, or for a whole thought if it has exactly one card. */
    find(at: Address, step: number | undefined): ShelvedCard | undefined {
      if (step !== undefined) return bySteps.get(stepKey(at, step));
      const [only, ...others] = byThoughts.get(thoughtKey(at)) ?? [];
      return others.length === 0 ? only : undefined;
    },
  };
}

function toCard(
  id: string,
  type: CardType,
  { number, content }: CipherStep,
  { data, seq }: ChainedThought,
  sessionId: string,
): ShelvedCard {
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
    meta: { thought: nodeId(sessionId, data), cipher_step: number },
    supports: [],
    blocks: [],
    seq,
    ts_ms: Date.parse(data.timestamp),
  };
}
