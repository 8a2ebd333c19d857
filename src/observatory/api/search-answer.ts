import type { Mask } from "../session/to-wire.ts";
import type { SearchAnswer, SearchHit } from "../wire.ts";
import { invalid } from "./answer.ts";
import type { Ask } from "./ask.ts";
import type { Query } from "./query.ts";

/** A note of the memory has no session; the page leads to thoughts, so it leaves notes out. */
type Hit = Omit<SearchHit, "sessionId" | "sessionTitle" | "thought"> & {
  sessionId?: string;
  sessionTitle?: string;
  id?: string;
  thought?: { thoughtNumber: number; branchId?: string };
};

export async function answerSearch(ask: Ask, mask: Mask, query: Query): Promise<SearchAnswer> {
  const words = query.text("q");
  if (words === undefined) throw invalid("q is missing: the words to look for.");
  const session = query.text("session");
  const found = await ask("session.search", {
    query: words.slice(0, 500),
    project: query.text("project") ?? "*",
    sessionId: session,
    type: query.text("type"),
    limit: query.number("limit", { min: 1, max: 50, standard: 20 }),
    offset: query.number("offset", { min: 0, max: 10_000, standard: 0 }),
  });
  const { hits, hasMore, relaxed } = found as { hits: Hit[]; hasMore: boolean; relaxed?: true };
  return {
    query: words,
    hits: hits.flatMap(({ sessionId, sessionTitle, id, thought, timestamp, snippet, score }) =>
      sessionId === undefined || (session !== undefined && sessionId !== session)
        ? []
        : [
            {
              sessionId,
              sessionTitle: mask(sessionTitle ?? ""),
              ...(id !== undefined && thought && { thought: { id, ...thought } }),
              timestamp,
              snippet: mask(snippet),
              score,
            },
          ],
    ),
    hasMore,
    ...(relaxed && { relaxed }),
  };
}
