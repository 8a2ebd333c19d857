import type { CardType } from "../memory/cards/card.ts";

/** A call as data: it works when executed as it stands. */
export type SuggestedCall = { operation: string; args: Record<string, unknown> };

type StubCard = { type: CardType; title: string; text?: string; tags?: string[] };

/** What the engine proposes; which operations these are, and where they go, is decided by whoever runs it. */
export type Calls = {
  openCard(id: string): SuggestedCall;
  playbook(name: string): SuggestedCall;
  publish(id: string): SuggestedCall;
  addCard(card: StubCard, edges: { supports?: string[]; blocks?: string[] }): SuggestedCall;
};
