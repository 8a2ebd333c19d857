import { datesIn } from "./dates.ts";
import { countAdjacent, createTermFinder, type FindTerms, maskIn } from "./find-terms.ts";
import { completedSessions, nearBest, rareShare, readTexts, weakBelow, weights } from "./measures.ts";
import { parseQuestion, type Question } from "./question.ts";
import {
  type Candidate,
  type Candidates,
  coverOf,
  createCandidates,
  createYardstick,
  type Group,
  maskAround,
  scoreGroup,
  scoreHeading,
  scoreSession,
  type Yardstick,
} from "./score-groups.ts";
import type { Heading, RankSource } from "./source.ts";
import { listWords, masksOf, type WordList } from "./words/word-lists.ts";

/** A text, or a session whose heading matches. */
export type RankedHit = {
  seq: number | undefined;
  sid: number | undefined;
  score: number;
  /** Words of the question that the hit contains, as typed. */
  matched: string[];
  nearby: string[];
  /** The share of the question that the hit and its neighbours contain. Rare words count more. */
  cover: number;
};

/** `perSession`: at most this many hits per session. */
export type Page = { offset: number; limit: number; perSession?: number | undefined };

export type Ranking = {
  /** The requested page: best first, newest first among equals. */
  hits: RankedHit[];
  hasMore: boolean;
  /** Words that occur nowhere in the scope, and rare words that are not near any of these hits. */
  missing: string[];
  /** True if no text contains every word. */
  relaxed: boolean;
  /** True if the best hit contains little of the question. */
  weak: boolean;
};

/**
 * Ranks texts by the question's words in them, in their neighbours and in their sessions, and by dates in the question.
 * Reads at most 16 word lists (and as many again for rare words), 6 pairs, 25 sessions per word, and 50 texts.
 */
export async function rank(source: RankSource, query: string, page: Page): Promise<Ranking> {
  const question = parseQuestion(query);
  const { extent, lists } = await listWords(source, question);
  const candidates = createCandidates(question.terms.length);
  await gather(source, candidates, lists);
  const found = { texts: extent.texts, sessions: extent.sessions, words: question.terms.length };
  const yardstick = createYardstick(lists, candidates, datesIn(query), found);
  for (const group of candidates.groups()) scoreGroup(group, yardstick);
  await completeBest(source, candidates, lists, yardstick);
  const best = await readBest(source, question, yardstick, bestFirst(everything(candidates), readTexts));
  const ranked = bestOfSessions(best, page);
  return toRanking(ranked, question, lists, yardstick, page);
}

async function gather(source: RankSource, candidates: Candidates, lists: readonly WordList[]): Promise<void> {
  const masks = await masksOf(source, lists);
  const seqs = [...masks.keys()].sort((one, other) => one - other);
  for (const place of await source.places(seqs)) candidates.add(place, masks.get(place.seq) ?? 0);
  for (const { headings, bit } of lists) for (const sid of headings) candidates.addHeading(sid, bit);
  const sids = [...candidates.groups()].flatMap(({ sid }) => (sid === undefined ? [] : [sid]));
  for (const facts of await source.sessions(sids)) candidates.describe(facts);
}

/** Searches the best sessions for words whose lists were truncated, and scores these sessions again. */
async function completeBest(
  source: RankSource,
  candidates: Candidates,
  lists: readonly WordList[],
  yardstick: Yardstick,
): Promise<void> {
  const cut = lists.filter((list) => list.cut);
  if (cut.length === 0) return;
  const best = [...candidates.groups()]
    .filter(({ sid }) => sid !== undefined)
    .sort((one, other) => other.best - one.best)
    .slice(0, completedSessions);
  const sids = best.flatMap(({ sid }) => (sid === undefined ? [] : [sid]));
  const found = await source.within(
    sids,
    cut.map(({ term }) => term),
  );
  for (const [n, { bit }] of cut.entries()) for (const place of found[n] ?? []) candidates.add(place, bit);
  for (const group of best) scoreGroup(group, yardstick);
}

function everything(candidates: Candidates): Candidate[] {
  const found = [...candidates.texts()];
  for (const { heading, length } of candidates.groups())
    if (heading && length !== undefined) found.push(heading);
  return found;
}

/** Sorts only the best `wanted` candidates. The rest follows unsorted. */
function bestFirst(found: Candidate[], wanted: number): Candidate[] {
  if (wanted === 0) return found;
  if (found.length <= wanted) return order(found);
  const scores = Float64Array.from(found, ({ score }) => score).sort();
  const least = scores[scores.length - wanted] ?? 0;
  const isBest = ({ score }: Candidate) => score >= least;
  return [...order(found.filter(isBest)), ...found.filter((one) => !isBest(one))];
}

/** Keeps the thoughts with at least half of their session's best score. Sorts only as far as the page needs. */
function bestOfSessions(ranked: readonly Candidate[], { offset, limit, perSession }: Page): Candidate[] {
  const best = new Map<Group, number>();
  for (const { seq, group, score } of ranked)
    if (seq !== undefined) best.set(group, Math.max(score, best.get(group) ?? 0));
  const isNear = ({ seq, group, score }: Candidate) =>
    seq === undefined || score >= (best.get(group) ?? 0) * nearBest;
  const read = ranked.slice(0, readTexts).filter(isNear);
  const rest = ranked.slice(readTexts).filter(isNear);
  const wanted = perSession === undefined ? Math.max(0, offset + limit - read.length) : rest.length;
  return [...read, ...bestFirst(rest, wanted)];
}

function order(found: Candidate[]): Candidate[] {
  return found.sort((one, other) => other.score - one.score || other.arrival - one.arrival);
}

/**
 * Reads the best texts, to find out which of the question's words are adjacent and which are in the session's heading.
 */
async function readBest(
  source: RankSource,
  question: Question,
  yardstick: Yardstick,
  ranked: Candidate[],
): Promise<Candidate[]> {
  const best = ranked.slice(0, readTexts);
  const seqs = best.flatMap(({ seq, mask }) =>
    seq !== undefined && mayHoldNeighbours(question, mask) ? [seq] : [],
  );
  const sids = best.flatMap(({ seq, group: { sid } }) =>
    seq === undefined && sid !== undefined ? [sid] : [],
  );
  if (seqs.length + sids.length === 0) return ranked;
  const { texts, headings } = await source.texts(seqs, sids);
  const textOf = new Map(texts.map(({ seq, text }) => [seq, text]));
  const headingOf = new Map(headings.map((heading) => [heading.sid, heading]));
  const find = createTermFinder(question.terms);
  for (const hit of best) {
    const heading = hit.seq === undefined ? headingOf.get(hit.group.sid ?? -1) : undefined;
    if (heading) hit.score = scoreSession(hit.group, yardstick) + scoreRead(hit, yardstick, heading, find);
    const text = hit.seq === undefined ? heading?.title : textOf.get(hit.seq);
    if (text !== undefined) hit.score += weights.adjacent * countAdjacent(find, question, text);
  }
  return [...order(best), ...ranked.slice(best.length)];
}

const mayHoldNeighbours = ({ neighbours }: Question, mask: number): boolean =>
  neighbours.some(([one, two]) => mask & (1 << one) && mask & (1 << two));

function scoreRead(hit: Candidate, yardstick: Yardstick, heading: Heading, find: FindTerms): number {
  const { title, description, tags } = heading;
  const masks = {
    title: maskIn(find, title),
    description: maskIn(find, description),
    tags: maskIn(find, tags),
  };
  return scoreHeading(hit, yardstick, { heading, masks });
}

function toRanking(
  ranked: readonly Candidate[],
  { terms }: Question,
  lists: readonly WordList[],
  yardstick: Yardstick,
  { offset, limit, perSession }: Page,
): Ranking {
  const standing = new Set(lists.map(({ number }) => number));
  const every = terms.reduce((all, _, n) => all | (1 << n), 0);
  const namesOf = (mask: number) => terms.flatMap(({ text }, n) => (mask & (1 << n) ? [text] : []));
  const coverOfHit = (hit: Candidate) => coverOf(hit.mask | maskAround(hit), yardstick);
  const spreadOut = perSession === undefined ? ranked : spread(ranked, perSession);
  const [best] = ranked;
  const shown = spreadOut.slice(offset, offset + limit);
  const near = shown.reduce((mask, hit) => mask | hit.mask | maskAround(hit), 0);
  const isMissing = (n: number) =>
    !standing.has(n) || (shown.length > 0 && isRare(n, yardstick) && (near & (1 << n)) === 0);
  return {
    hits: shown.map((hit) => ({
      seq: hit.seq,
      sid: hit.group.sid,
      score: hit.score,
      matched: namesOf(hit.mask),
      nearby: namesOf(maskAround(hit) & ~hit.mask),
      cover: coverOfHit(hit),
    })),
    hasMore: spreadOut.length > offset + limit,
    missing: terms.flatMap(({ text }, n) => (isMissing(n) ? [text] : [])),
    relaxed: best !== undefined && !ranked.some(({ mask }) => mask === every),
    weak: best !== undefined && coverOfHit(best) < weakBelow,
  };
}

/** True for a rare word. Only rare words are reported as missing. */
function isRare(word: number, { words }: Yardstick): boolean {
  const rarest = Math.max(...words.map(({ rarity }) => rarity));
  return words.some((one) => one.word === word && one.rarity >= rarest * rareShare);
}

function spread(ranked: readonly Candidate[], perSession: number): readonly Candidate[] {
  const taken = new Map<Group, number>();
  return ranked.filter(({ group }) => {
    const count = (taken.get(group) ?? 0) + 1;
    taken.set(group, count);
    return count <= perSession;
  });
}
