import type { Session } from "../ledger/session.ts";
import { hasCause } from "../why/reason-words.ts";
import { createTermFinder, type FindTerms, findOncePerText, maskIn } from "./find-terms.ts";
import type { Term } from "./question.ts";
import type { SearchHit } from "./search.ts";
import type { SearchSource } from "./source.ts";

/**
 * In characters: the length of a snippet, the part before the first match, and the extra length allowed for a whole
 * sentence.
 */
const [width, lead, spare] = [180, 40, 60];
const marks = { open: "«", close: "»", more: "…" };
/** How many matches to read. Further matches would rarely change which part is best. */
const maxMatches = 1_000;

type Match = { term: number; start: number; end: number };

/** True if splitting the text at `at` would split a surrogate pair. */
function isContinued(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}

/** Returns the nearest position at or before `at` where a split does not divide a character. */
const safeCut = (text: string, at: number): number => (isContinued(text, at) ? at - 1 : at);

/**
 * Returns the part of a text that contains most of the words, with each word marked. Uses whole sentences if
 * they fit, and prefers sentences that give a reason. If no word matches, returns the beginning. Takes linear
 * time.
 */
export function cutSnippet(text: string, find: FindTerms): string {
  const matches: Match[] = [];
  for (const match of find(text)) {
    if (matches.length === maxMatches) break;
    matches.push(match);
  }
  const { from, to } = bestSentences(text, matches) ?? bestWindow(text, matches);
  return `${from > 0 ? marks.more : ""}${markMatches(text, from, to, matches)}${to < text.length ? marks.more : ""}`;
}

type Cut = { from: number; to: number };

function bestWindow(text: string, matches: readonly Match[]): Cut {
  const first = bestStart(matches);
  const from = first === undefined ? 0 : startBefore(text, first.start);
  return { from, to: safeCut(text, Math.min(text.length, from + width)) };
}

/** The maximum number of sentences to consider. A text with more is probably a list or a log. */
const maxSentences = 2_000;
const sentenceEnd = /[.!?:]["')\]]?\s+|\n+|[。！？]/g;

/**
 * Returns consecutive sentences that fit. Prefers those with the most matches, then those with a reason, then
 * the shortest. `undefined` if a sentence with matches is too long.
 */
function bestSentences(text: string, matches: readonly Match[]): Cut | undefined {
  if (matches.length === 0 || text.length <= width) return undefined;
  const sentences = sentencesOf(text, matches);
  const most = Math.max(...sentences.map(({ terms }) => terms.size));
  if (sentences.some(({ from, to, terms }) => terms.size === most && to - from > width + spare))
    return undefined;
  let best: { cut: Cut; terms: number; reason: boolean } | undefined;
  // Tries sentences with matches first, because a reason usually follows what it explains.
  const starts = [...sentences.entries()];
  const about = starts.filter(([, { terms }]) => terms.size > 0);
  const given = starts.filter(([, { terms, reason }]) => terms.size === 0 && reason);
  for (const [at, first] of [...about, ...given]) {
    const terms = new Set<number>();
    let reason = false;
    for (const { from, to, ...one } of sentences.slice(at, at + longestRun)) {
      if (to - first.from > width + spare) break;
      for (const term of one.terms) terms.add(term);
      reason ||= one.reason;
      const more =
        best === undefined ||
        terms.size > best.terms ||
        (terms.size === best.terms && Number(reason) > Number(best.reason));
      if (more && terms.size > 0) best = { cut: { from: first.from, to }, terms: terms.size, reason };
    }
  }
  return best?.cut;
}

/** In sentences. */
const longestRun = 8;

type Sentence = Cut & { terms: Set<number>; reason: boolean };

function sentencesOf(text: string, matches: readonly Match[]): Sentence[] {
  const sentences: Sentence[] = [];
  let [from, next] = [0, 0];
  const add = (end: number) => {
    const terms = new Set<number>();
    for (let match = matches[next]; match && match.start < end; match = matches[next]) {
      if (match.end <= end) terms.add(match.term);
      next += 1;
    }
    const said = text.slice(from, end);
    const to = from + said.trimEnd().length;
    if (to > from) sentences.push({ from, to, terms, reason: hasCause(said) });
    from = end;
  };
  for (const { index, 0: mark } of text.matchAll(sentenceEnd)) {
    if (sentences.length >= maxSentences) break;
    add(index + mark.length);
  }
  add(text.length);
  return sentences;
}

/**
 * Slides a window over the matches and returns the start of the window that contains the most distinct words.
 */
function bestStart(matches: readonly Match[]): Match | undefined {
  const held = new Map<number, number>();
  let [best, most, left] = [matches[0], 0, 0];
  for (const match of matches) {
    held.set(match.term, (held.get(match.term) ?? 0) + 1);
    for (let old = matches[left]; old && match.end - old.start > width - lead; old = matches[left]) {
      const rest = (held.get(old.term) ?? 1) - 1;
      if (rest === 0) held.delete(old.term);
      else held.set(old.term, rest);
      left += 1;
    }
    if (held.size > most) [best, most] = [matches[left], held.size];
  }
  return best;
}

/** Avoids splitting a word in scripts that separate words with spaces. */
function startBefore(text: string, at: number): number {
  if (at <= lead) return 0;
  const earliest = at - lead;
  const space = text.slice(earliest, at).search(/\s/);
  const start = space < 0 ? earliest : earliest + space + 1;
  return isContinued(text, start) ? start + 1 : start;
}

function markMatches(text: string, from: number, to: number, matches: readonly Match[]): string {
  let shown = "";
  let done = from;
  for (const { start, end } of matches) {
    if (start < from || end > to) continue;
    // In scripts without spaces, matches are overlapping pairs of characters. One mark surrounds all the
    // pairs.
    if (start < done && shown.endsWith(marks.close)) {
      shown = shown.slice(0, -1) + text.slice(done, end) + marks.close;
    } else if (start >= done) {
      shown += text.slice(done, start) + marks.open + text.slice(start, end) + marks.close;
    }
    done = Math.max(done, end);
  }
  return shown + text.slice(done, to);
}

/** A text by its seq, or a session by its number. */
export type FoundHit = { seq?: number | undefined; sid?: number | undefined } & Pick<
  SearchHit,
  "score" | "matched" | "nearby" | "cover"
>;

/** In characters: how much of a text is searched at once, and how far adjacent parts overlap. */
const [window, overlap] = [32_768, 2_048];

/** Adds the session, snippet and other details to each hit. Omits hits that were deleted in the meantime. */
export async function describeHits(
  source: SearchSource,
  hits: readonly FoundHit[],
  terms: readonly Term[],
  hideSecrets: (text: string) => string,
): Promise<SearchHit[]> {
  const find = findOncePerText(createTermFinder(terms));
  const shown = await source.show(hits, window);
  const described: SearchHit[] = [];
  for (const [n, { seq, score, matched, nearby, cover }] of hits.entries()) {
    const hit = shown[n];
    if (!hit) continue;
    const { beginning, ...rest } = hit;
    const around =
      beginning === undefined || seq === undefined
        ? { text: headingOf(hit.session, find), from: 0, isLast: true }
        : await readAround(source, seq, beginning, find);
    described.push({
      ...rest,
      // Secrets are masked before the text is truncated, because half a secret no longer looks like one.
      snippet: cutSnippet(inside({ ...around, text: hideSecrets(around.text) }), find),
      score: rounded(score),
      matched: matched.length > 0 ? matched : namesIn(terms, find, inside(around)),
      nearby,
      cover: rounded(cover),
    });
  }
  return described;
}

export const rounded = (value: number): number => Math.round(value * 1000) / 1000;

function namesIn(terms: readonly Term[], find: FindTerms, text: string): string[] {
  const mask = maskIn(find, text);
  return terms.flatMap((term, n) => (mask & (1 << n) ? [term.text] : []));
}

/** Returns the part of a session's heading that contains most of the words. */
function headingOf(session: Session | undefined, find: FindTerms): string {
  if (!session) return "";
  const parts = [session.title, session.description ?? "", session.tags.join(" ")];
  const held = parts.map((part) => countBits(maskIn(find, part)));
  return parts[held.indexOf(Math.max(...held))] ?? "";
}

function countBits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest > 0; rest >>= 1) count += rest & 1;
  return count;
}

/** A part of a text, and where it begins. */
type Part = { text: string; from: number; isLast: boolean };

const inside = ({ text, from, isLast }: Part): string =>
  text.slice(from === 0 ? 0 : overlap, isLast ? text.length : -overlap);

/** Returns the part of a text that contains its first matching word. If no word matches, returns the beginning. */
async function readAround(
  source: SearchSource,
  seq: number,
  beginning: string,
  find: FindTerms,
): Promise<Part> {
  const first = { text: beginning, from: 0, isLast: !isFull(beginning) };
  for (let part = first; ; ) {
    if (!find(inside(part)).next().done) return part;
    if (part.isLast) return first;
    const from = part.from + window - 2 * overlap;
    const text = await source.part(seq, from, window);
    part = { text, from, isLast: !isFull(text) };
  }
}

/**
 * True if more text may follow. A store counts characters, which can be two code units in JavaScript, so only
 * the last part of a text has fewer code units than `window`.
 */
const isFull = (text: string): boolean => text.length >= window;
