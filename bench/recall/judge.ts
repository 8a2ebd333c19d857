import type { RecallQuestion, RecallSession } from "./recall-set.ts";
import { sessionIdOf } from "./to-export.ts";

/** A hit as `session.search` answers it. */
export type AnsweredHit = { sessionId?: string; id?: string; thought?: { thoughtNumber: number } };

/** How well one question was answered. */
export type Judgement = {
  category: string;
  /** The first hit is of a session that holds the answer. */
  first: boolean;
  /** One of the first five is. */
  five: boolean;
  /** One over the place of the first hit that is; 0 where none of the first ten is. */
  reciprocal: number;
  /** Share of the sessions, and of the thoughts, with the answer that the first ten hits name. */
  sessions: number;
  thoughts: number | undefined;
};

/** Turns keys of the data into what a hit says. */
export function createAddressBook(sessions: Iterable<RecallSession>): Map<string, string> {
  const book = new Map<string, string>();
  for (const { key, thoughts } of sessions)
    for (const [index, thought] of thoughts.entries())
      book.set(thought.key, `${sessionIdOf(key)}:${index + 1}`);
  return book;
}

export function judge(
  { category, sessions, thoughts }: RecallQuestion,
  hits: readonly AnsweredHit[],
  book: ReadonlyMap<string, string>,
): Judgement {
  const gold = new Set(sessions.map(sessionIdOf));
  const ten = hits
    .slice(0, 10)
    .map(({ sessionId, id, thought }) => ({ sessionId: sessionId ?? id?.split(":", 1)[0], thought }));
  const place = ten.findIndex(({ sessionId }) => sessionId !== undefined && gold.has(sessionId));
  const named = new Set(ten.map(({ sessionId, thought }) => `${sessionId}:${thought?.thoughtNumber}`));
  const found = new Set(ten.flatMap(({ sessionId = "" }) => (gold.has(sessionId) ? [sessionId] : [])));
  const wanted = thoughts.flatMap((key) => book.get(key) ?? []);
  return {
    category,
    first: place === 0,
    five: place >= 0 && place < 5,
    reciprocal: place < 0 ? 0 : 1 / (place + 1),
    sessions: found.size / Math.max(1, gold.size),
    thoughts: wanted.length === 0 ? undefined : wanted.filter((id) => named.has(id)).length / wanted.length,
  };
}

export type Figures = {
  questions: number;
  hit1: number;
  hit5: number;
  mrr: number;
  sessions: number;
  thoughts: number;
};

export function summarise(judged: readonly Judgement[]): Figures {
  const mean = (values: readonly number[]) =>
    values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    questions: judged.length,
    hit1: mean(judged.map(({ first }) => (first ? 1 : 0))),
    hit5: mean(judged.map(({ five }) => (five ? 1 : 0))),
    mrr: mean(judged.map(({ reciprocal }) => reciprocal)),
    sessions: mean(judged.map(({ sessions }) => sessions)),
    thoughts: mean(judged.flatMap(({ thoughts }) => thoughts ?? [])),
  };
}
