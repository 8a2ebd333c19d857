import type { RecallQuestion, RecallSession } from "./recall-set.ts";
import { sessionIdOf } from "./to-export.ts";

/** A hit as returned by `session.search`. */
export type AnsweredHit = { sessionId?: string; id?: string; thought?: { thoughtNumber: number } };

/** How well one question was answered. */
export type Judgement = {
  category: string;
  /** True if the first session contains the answer. Sessions are ranked by their first hit. */
  first: boolean;
  /** True if one of the first five sessions contains the answer. */
  five: boolean;
  /** One divided by the rank of the first session with the answer, or 0 if none of the first ten has it. */
  reciprocal: number;
  /** Share of the sessions with the answer that are among the first ten. */
  sessions: number;
  /** Share of the thoughts with the answer that are among the first ten hits. */
  thoughts: number | undefined;
};

/** Maps the keys in the data to the addresses in hits. */
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
  const named = hits.map(({ sessionId, id, thought }) => ({
    session: sessionId ?? id?.split(":", 1)[0] ?? "",
    number: thought?.thoughtNumber,
  }));
  const ranked = [...new Set(named.map(({ session }) => session).filter(Boolean))].slice(0, 10);
  const place = ranked.findIndex((session) => gold.has(session));
  const found = ranked.filter((session) => gold.has(session));
  const ten = new Set(named.slice(0, 10).map(({ session, number }) => `${session}:${number}`));
  const wanted = thoughts.flatMap((key) => book.get(key) ?? []);
  return {
    category,
    first: place === 0,
    five: place >= 0 && place < 5,
    reciprocal: place < 0 ? 0 : 1 / (place + 1),
    sessions: found.length / Math.max(1, gold.size),
    thoughts: wanted.length === 0 ? undefined : wanted.filter((id) => ten.has(id)).length / wanted.length,
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
