import { parseQuestion } from "../../../domain/search/question.ts";
import { rank } from "../../../domain/search/rank.ts";
import type { SearchPage, SearchQuery } from "../../../ports/ledger-store.ts";
import type { WithConnection } from "../connection/access.ts";
import type { Connection } from "../connection/open-database.ts";
import { describeHits } from "./describe-hits.ts";
import { findNewest } from "./newest-hits.ts";
import { type SearchScope, toSearchScope } from "./search-scope.ts";
import { createSqliteSource } from "./sqlite-source.ts";
import { quoteWords } from "./words.ts";

/** Thoughts, notes and what sessions are called, in one list. */
export async function searchLedger(
  read: WithConnection,
  query: SearchQuery,
  unindexed: number,
  now: Date,
): Promise<SearchPage> {
  const scope = await read((connection) => toSearchScope(connection, query));
  const question = parseQuestion(query.query ?? "");
  const showing = { terms: question.terms, now, hideSecrets: query.hideSecrets };
  const elsewhere = query.countElsewhere ? await read((c) => countElsewhere(c, scope, query.query ?? "")) : 0;
  if (query.order === "newest" || question.terms.length === 0) {
    if (query.query !== undefined && question.terms.length === 0) return nothing(unindexed);
    const { hits, relaxed } = await findNewest(read, scope, question, query);
    return {
      hits: await describeHits(read, hits.slice(0, query.limit), showing),
      hasMore: hits.length > query.limit,
      relaxed,
      weak: false,
      missing: [],
      unindexed,
      elsewhere,
    };
  }
  const { hits, ...ranking } = await rank(createSqliteSource(read, scope), query.query ?? "", query);
  return { ...ranking, hits: await describeHits(read, hits, showing), unindexed, elsewhere };
}

const nothing = (unindexed: number): SearchPage => ({
  hits: [],
  hasMore: false,
  relaxed: false,
  weak: false,
  missing: [],
  unindexed,
  elsewhere: 0,
});

/** Matches looked at, and the most that are counted: this is a hint and must cost next to nothing. */
const [lookedAt, maxCounted] = [2_000, 100];

/** Thoughts of other projects that hold every word. */
function countElsewhere({ sql }: Connection, { project }: SearchScope, query: string): number {
  const { terms } = parseQuestion(query);
  if (project === undefined || terms.length === 0) return 0;
  const others = sql(
    "SELECT 1 FROM project_totals WHERE project <> ? AND sessions > 0 AND thoughts > 0 LIMIT 1",
  ).get(project);
  if (!others) return 0;
  const words = terms.map(({ wanted }) => quoteWords(wanted)).join(" AND ");
  const row = sql(`SELECT count(*) AS n FROM (
      SELECT 1 FROM (SELECT rowid AS id FROM text_words WHERE text_words MATCH ? ORDER BY rowid DESC LIMIT ?) w
      CROSS JOIN thoughts t ON t.seq = w.id CROSS JOIN sessions s ON s.sid = t.sid
      WHERE s.project <> ? AND s.deleted_at IS NULL LIMIT ?)`).get(
    `text : (${words})`,
    lookedAt,
    project,
    maxCounted,
  );
  return Number(row?.["n"] ?? 0);
}
