import { defineFailures, type ThoughtboxError } from "../../../kernel/errors.ts";
import type { Meta } from "../entry.ts";

/** The types that callers can write. */
export const cardTypes = [
  "frame",
  "hypothesis",
  "question",
  "test",
  "evidence",
  "decision",
  "note",
  "update",
] as const;

export type CardType = (typeof cardTypes)[number];

/** The types that readers can see. Only `think_subgoal_open` writes subgoals. */
export const thinkTypes = [...cardTypes, "subgoal"] as const;

export type ThinkType = (typeof thinkTypes)[number];

export const isCardType = (type: string): type is CardType => cardTypes.some((known) => known === type);
export const isThinkType = (type: string): type is ThinkType => thinkTypes.some((known) => known === type);

export type Card = {
  id: string;
  type: ThinkType;
  title?: string | undefined;
  text?: string | undefined;
  status: string;
  /** Lower case, unique, sorted. */
  tags: readonly string[];
  meta?: Meta | undefined;
};

/** A card in its current version on a branch. */
export type CardNode = Card & { last_seq: number; last_ts_ms: number };

export type CardEdge = { from: string; rel: string; to: string };

export const pinTag = "pinned";
export const openStatus = "open";

export const isOpen = ({ status }: Pick<Card, "status">): boolean => status === openStatus;
export const isPinned = ({ tags }: Pick<Card, "tags">): boolean => tags.includes(pinTag);

/** Sorts cards newest first, in the same order on every machine. */
export function byAge(one: CardNode, other: CardNode): number {
  return (
    other.last_ts_ms - one.last_ts_ms ||
    other.last_seq - one.last_seq ||
    (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
  );
}

export const nameOf = ({ id, title, text }: Pick<Card, "id" | "title" | "text">): string =>
  title ?? firstLine(text ?? "") ?? id;

function firstLine(text: string): string | undefined {
  const line = text.trimStart().split("\n", 1)[0]?.trim();
  return line === undefined || line === "" ? undefined : line;
}

/** Why a card is refused, with the facts for the message. */
export type CardFailures = {
  /** `problem` is a sentence about `field`. `type` is the type of card that the caller intended. */
  invalid_card: { problem: string; kind: string; field: string; expected?: unknown; type: CardType };
  card_taken: { workspace: string; card_id: string };
  unknown_card: { workspace: string; branch: string; doc: string; id: string };
  invalid_pipeline: { problem: string; kind: string; field: string; expected?: unknown };
  wrong_card_type: { workspace: string; id: string; type: string; wanted: string; field: string };
};

export const cardFailure = defineFailures<CardFailures>({
  invalid_card: "INVALID_PAYLOAD",
  card_taken: "CONFLICT",
  unknown_card: "UNKNOWN_ID",
  invalid_pipeline: "INVALID_PAYLOAD",
  wrong_card_type: "INVALID_PAYLOAD",
});

type Hint = { kind: string; field: string; expected?: unknown };

export const badCard = (problem: string, hint: Hint, type: CardType = "note"): ThoughtboxError =>
  cardFailure("invalid_card", { problem, ...hint, type });
