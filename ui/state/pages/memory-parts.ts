import type { CardsAnswer, DecisionsAnswer } from "../../../src/observatory/wire-memory.ts";
import type { Get } from "../http.ts";
import type { Card, Decision } from "../memory.ts";

/** Reads the cards of a plan or task. Returns an empty list if the cards cannot be read. */
export async function readCardsOf(
  get: Get,
  workspace: string,
  target: string,
  abort: AbortSignal,
): Promise<readonly Card[]> {
  const fetched = await get<CardsAnswer>("/api/memory/cards", { workspace, target }, abort);
  return "answer" in fetched ? fetched.answer.cards : [];
}

/** Reads the decisions of the server's own workspace. Returns an empty list if they cannot be read. */
export async function readDecisions(get: Get, abort: AbortSignal): Promise<readonly Decision[]> {
  const fetched = await get<DecisionsAnswer>("/api/memory/decisions", {}, abort);
  return "answer" in fetched ? fetched.answer.decisions : [];
}
