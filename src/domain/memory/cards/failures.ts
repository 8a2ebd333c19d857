import { defineFailures, type ThoughtboxError } from "../../../kernel/errors.ts";
import type { CardType } from "./card.ts";

/** Why a card is refused, and what the words about it need. */
export type CardFailures = {
  /** `problem` is a sentence about `field`; `type` is the kind of card that was meant. */
  invalid_card: { problem: string; kind: string; field: string; expected?: unknown; type: CardType };
  card_taken: { workspace: string; card_id: string };
  unknown_card: { workspace: string; branch: string; doc: string; id: string };
  invalid_pipeline: { problem: string; kind: string; field: string; expected?: unknown };
  /** A card of another type was wanted. */
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
