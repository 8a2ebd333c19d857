import type { FindTerms } from "./find-terms.ts";

/** Characters shown, and how many of them stand before the first word that matched. */
const [width, lead] = [180, 40];
const marks = { open: "«", close: "»", more: "…" };
/** Enough to choose the best match from; a word that is repeated ten thousand times says no more after that. */
const maxMatches = 1_000;

type Match = { term: number; start: number; end: number };

/** Whether a cut here would part the two halves of one character. */
function isContinued(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}

/** The nearest place at or before `at` where a text can be cut without parting a character. */
const safeCut = (text: string, at: number): number => (isContinued(text, at) ? at - 1 : at);

/**
 * The part of a text that holds most of the words, each marked, in time linear in the text. Without any of them it is
 * the beginning.
 */
export function cutSnippet(text: string, find: FindTerms): string {
  const matches: Match[] = [];
  for (const match of find(text)) {
    if (matches.length === maxMatches) break;
    matches.push(match);
  }
  const first = bestStart(matches);
  const from = first === undefined ? 0 : startBefore(text, first.start);
  const to = safeCut(text, Math.min(text.length, from + width));
  return `${from > 0 ? marks.more : ""}${markMatches(text, from, to, matches)}${to < text.length ? marks.more : ""}`;
}

/** A window slides over the matches; the one with the most different words wins, the first among equals. */
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

/** Words are shown whole where there are spaces between them. */
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
    // Pairs of characters overlap: one mark around all of them.
    if (start < done && shown.endsWith(marks.close)) {
      shown = shown.slice(0, -1) + text.slice(done, end) + marks.close;
    } else if (start >= done) {
      shown += text.slice(done, start) + marks.open + text.slice(start, end) + marks.close;
    }
    done = Math.max(done, end);
  }
  return shown + text.slice(done, to);
}
