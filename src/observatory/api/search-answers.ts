import { parseQuestion } from "../../domain/search/question.ts";
import { withSessions } from "../../operations/ledger/session/found-hits.ts";
import { typeOfThought } from "../session/session-columns.ts";
import type { MatchesAnswer, PositionsAnswer, SearchAnswer, SearchHit, ThoughtType } from "../wire.ts";
import { invalid, type Query } from "./answer.ts";
import { findSession, type SessionSource } from "./session-answers.ts";

/** A note in the memory has no session. The page links to thoughts, so it omits notes. */
type Hit = Omit<SearchHit, "sessionId" | "sessionTitle" | "thought"> & {
  sessionId?: string;
  sessionTitle?: string;
  id?: string;
  thought?: { thoughtNumber: number; branchId?: string };
  matched?: string[];
  rejected?: true;
  revisedBy?: unknown;
};

type Found = { hits: Hit[]; hasMore: boolean; relaxed?: true };

function readWords(query: Query): string {
  const words = query.text("q");
  if (words === undefined) throw invalid("q is missing. Send the words to look for.");
  return words.slice(0, 500);
}

/** Counts the thoughts that contain the words, in every session. */
export async function answerMatches(
  { ledger, onlyProject }: SessionSource,
  query: Query,
): Promise<MatchesAnswer> {
  const { sessions, relaxed } = await ledger.countMatches(
    readWords(query),
    onlyProject ?? query.text("project"),
  );
  return {
    thoughts: sessions.reduce((sum, { texts }) => sum + texts, 0),
    sessions: sessions.map(({ sessionId, texts }) => [sessionId, texts]),
    ...(relaxed && { relaxed }),
  };
}

/** Returns the positions of the thoughts in a session that contain the words. */
export async function answerPositions(
  source: SessionSource,
  sessionId: string,
  query: Query,
): Promise<PositionsAnswer> {
  await findSession(source, sessionId);
  const { positions, relaxed } = await source.ledger.findMatches(readWords(query), sessionId);
  return { positions: [...positions], ...(relaxed && { relaxed }) };
}

export async function answerSearch(source: SessionSource, query: Query): Promise<SearchAnswer> {
  const { ask, mask } = source;
  const words = readWords(query);
  const session = query.text("session");
  const order = query.text("order") === "newest" ? "newest" : "relevance";
  const search = (by: "newest" | "relevance") =>
    ask("session.search", { ...asked, order: by }) as Promise<unknown> as Promise<Found>;
  const asked = {
    query: words,
    project: query.text("project") ?? "*",
    sessionId: session,
    type: query.text("type"),
    only: "thoughts",
    limit: query.number("limit", { min: 1, max: 50, standard: 20 }),
    offset: query.number("offset", { min: 0, max: 10_000, standard: 0 }),
    ...(query.text("perSession") !== undefined && {
      perSession: query.number("perSession", { min: 1, max: 10, standard: 4 }),
    }),
  };
  const wantsAll = query.text("words") === "all" && order === "relevance";
  const best = await search(order);
  // A search by relevance reads only some of the texts with a frequent word. A search by date finds every
  // text that contains all of the words.
  const exact = wantsAll && best.relaxed ? await search("newest") : undefined;
  const isExact = exact !== undefined && !exact.relaxed;
  const { hits, hasMore, relaxed } = isExact ? exact : best;
  // A search by relevance also finds texts with only some of the words. These texts are left out here.
  const isRanked = wantsAll && !isExact && !relaxed;
  const least = isRanked ? parseQuestion(words).terms.length : 0;
  const shown: SearchHit[] = [];
  for (const hit of withSessions(hits)) {
    if ((hit.matched?.length ?? 0) < least) continue;
    const { sessionId, sessionTitle, id, thought, timestamp, snippet, score, rejected, revisedBy } = hit;
    if (sessionId === undefined || (session !== undefined && sessionId !== session)) continue;
    const type = thought && (await typeOf(source, sessionId, thought));
    shown.push({
      sessionId,
      sessionTitle: mask(sessionTitle ?? ""),
      ...(id !== undefined && thought && { thought: { id, ...thought } }),
      timestamp,
      snippet: mask(snippet),
      score,
      ...(type !== undefined && { type }),
      ...((rejected || revisedBy !== undefined) && { isGone: true as const }),
    });
  }
  return { query: words, hits: shown, hasMore, ...(relaxed && { relaxed }) };
}

async function typeOf(
  { ledger }: SessionSource,
  sessionId: string,
  address: { thoughtNumber: number; branchId?: string },
): Promise<ThoughtType | undefined> {
  const [found] = await ledger.readThoughts(sessionId, { ...address, select: "one" });
  return found && typeOfThought(found.data);
}
