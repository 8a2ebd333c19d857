import type { Session } from "../ledger/session.ts";
import type { Address } from "../ledger/thought.ts";
import { describeHits, type FoundHit } from "./describe-hits.ts";
import { parseQuestion, type Question } from "./question.ts";
import { rank } from "./rank.ts";
import type { SearchSource, SessionMatches, Timed } from "./source.ts";

export type SearchQuery = {
  /** The question. If absent, returns everything that passes the filters, newest first. */
  query?: string | undefined;
  /** `undefined` = all projects. */
  project?: string | undefined;
  /** Search only this session. */
  sessionId?: string | undefined;
  /** Also search this workspace's notes. If absent, the search skips notes. */
  workspace?: string | undefined;
  tags?: readonly string[] | undefined;
  /** The cipher type a thought must have. */
  type?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  order: "relevance" | "newest";
  limit: number;
  offset: number;
  /** The maximum number of hits per session, if hits are sorted by relevance. */
  perSession?: number | undefined;
  /** Masks snippets before they are truncated, because half a secret no longer looks like one. */
  hideSecrets(text: string): string;
  /** True to also count matches in other projects. */
  countElsewhere?: boolean | undefined;
};

export type ScopeQuery = Omit<
  SearchQuery,
  "limit" | "offset" | "perSession" | "hideSecrets" | "countElsewhere"
>;

/** A thought, a session whose heading matches, or a note. */
export type SearchHit = {
  /** Absent for a note. */
  session?: Session;
  note?: { workspace: string; branch: string; doc: string; seq: number; title?: string };
  /** Absent if the session's title, description or tags matched. */
  address?: Address;
  /** The last thought that revised this one. */
  revisedBy?: Address;
  timestamp: string;
  snippet: string;
  score: number;
  /** Words of the question that the hit contains. */
  matched: string[];
  nearby: string[];
  /** How much of the question the hit and its neighbours contain, from 0 to 1. */
  cover: number;
};

export type SearchPage = {
  hits: SearchHit[];
  hasMore: boolean;
  /** True if no text contains all the words. */
  relaxed: boolean;
  /** True if even the best hit contains little of the question. */
  weak: boolean;
  /** Words that occur nowhere in the scope, and rare words that are not near any of these hits. */
  missing: string[];
  /** The number of recorded texts that are not yet searchable, because the store is currently not writable. */
  unindexed: number;
  /** The number of thoughts in other projects that contain every word, at most 100. 0 if not requested. */
  elsewhere: number;
};

/** Finds thoughts, notes and session headings, in one list. */
export async function search(
  source: SearchSource,
  query: SearchQuery,
  unindexed: number,
): Promise<SearchPage> {
  const question = parseQuestion(query.query ?? "");
  const { terms } = question;
  if (query.query !== undefined && terms.length === 0) return { ...nothing, unindexed };
  const elsewhere = query.countElsewhere && terms.length > 0 ? await source.elsewhere(terms) : 0;
  if (query.order === "newest" || terms.length === 0) {
    const { hits, relaxed } = await findNewest(source, question, query);
    const shown = await describeHits(source, hits.slice(0, query.limit), terms, query.hideSecrets);
    return { ...nothing, hits: shown, hasMore: hits.length > query.limit, relaxed, unindexed, elsewhere };
  }
  const { hits, ...ranking } = await rank(source, query.query ?? "", query);
  return {
    ...ranking,
    hits: await describeHits(source, hits, terms, query.hideSecrets),
    unindexed,
    elsewhere,
  };
}

/** The number of matching thoughts per session. Counts the same texts that a search by date finds. */
export type MatchCounts = { sessions: readonly SessionMatches[]; relaxed: boolean };

export async function countMatches(source: SearchSource, query: string): Promise<MatchCounts> {
  const { terms } = parseQuestion(query);
  if (terms.length === 0) return { sessions: [], relaxed: false };
  const strict = await source.matches(terms, "all");
  if (strict.length > 0 || terms.length === 1) return { sessions: strict, relaxed: false };
  const any = await source.matches(terms, "any");
  return { sessions: any, relaxed: any.length > 0 };
}

/** The positions of all matching thoughts in a session, ascending. */
export type MatchPositions = { positions: readonly number[]; relaxed: boolean };

export async function findMatches(source: SearchSource, query: string): Promise<MatchPositions> {
  const { terms } = parseQuestion(query);
  const find = async (joint: "all" | "any") => {
    const { texts } = await source.holding(terms, joint, { texts: wholeSession, headings: 0 });
    const places = await source.places(texts);
    return places.map(({ position }) => position).sort((one, other) => one - other);
  };
  if (terms.length === 0) return { positions: [], relaxed: false };
  const strict = await find("all");
  if (strict.length > 0 || terms.length === 1) return { positions: strict, relaxed: false };
  const any = await find("any");
  return { positions: any, relaxed: any.length > 0 };
}

/** A limit that is higher than the number of texts in any session. */
const wholeSession = 10_000_000;

const nothing: Omit<SearchPage, "unindexed"> = {
  hits: [],
  hasMore: false,
  relaxed: false,
  weak: false,
  missing: [],
  elsewhere: 0,
};

/** The maximum number of sessions found by their heading. A list of sessions shows the others. */
const maxHeadings = 200;

/**
 * Returns texts that contain every word, newest first. If no text contains every word, returns texts that
 * contain any of the words. If the question has no words, returns all texts. Returns one text more than the
 * page needs, to show whether another page follows.
 */
async function findNewest(
  source: SearchSource,
  { terms }: Question,
  { offset, limit }: Pick<SearchQuery, "offset" | "limit">,
): Promise<{ hits: FoundHit[]; relaxed: boolean }> {
  const to = offset + limit + 1;
  if (terms.length === 0)
    return { hits: (await source.everything(to)).slice(offset).map(toText), relaxed: false };
  const find = async (joint: "all" | "any"): Promise<FoundHit[]> => {
    const max = { texts: to, headings: Math.min(to, maxHeadings) };
    const { texts, headings } = await source.holding(terms, joint, max);
    if (headings.length === 0) return texts.map(toText);
    const times = await source.times(texts, headings);
    return mergeNewest(times.headings, times.texts);
  };
  const strict = await find("all");
  if (strict.length > 0) return { hits: strict.slice(offset, to), relaxed: false };
  const any = await find("any");
  return { hits: any.slice(offset, to), relaxed: any.length > 0 };
}

const unranked = { score: 0, matched: [], nearby: [], cover: 0 };
const toText = (seq: number): FoundHit => ({ seq, ...unranked });
const toHeading = (sid: number): FoundHit => ({ sid, ...unranked });

/** Merges the lists by time. Keeps the order of arrival in each, so that pages neither skip nor repeat hits. */
function mergeNewest(sessions: readonly Timed[], texts: readonly Timed[]): FoundHit[] {
  const merged: FoundHit[] = [];
  let next = 0;
  for (const text of texts) {
    for (let session = sessions[next]; session && session.time >= text.time; session = sessions[next]) {
      merged.push(toHeading(session.id));
      next += 1;
    }
    merged.push(toText(text.id));
  }
  return [...merged, ...sessions.slice(next).map(({ id }) => toHeading(id))];
}
