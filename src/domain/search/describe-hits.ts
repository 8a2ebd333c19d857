import type { Session } from "../ledger/session.ts";
import { createTermFinder, type FindTerms, findOncePerText, maskIn } from "./find-terms.ts";
import type { Term } from "./question.ts";
import type { SearchHit } from "./search.ts";
import { cutSnippet } from "./snippet.ts";
import type { SearchSource } from "./source.ts";

/** A text by its seq, or a session by its number. */
export type FoundHit = { seq?: number | undefined; sid?: number | undefined } & Pick<
  SearchHit,
  "score" | "matched" | "nearby" | "cover"
>;

/** Characters searched at once, and how many overlap with the neighbouring parts. */
const [window, overlap] = [32_768, 2_048];

/** What a page shows for its hits. Omits those deleted since. */
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
      // The edges are cut last, because half a secret no longer looks like one.
      snippet: cutSnippet(inside({ ...around, text: hideSecrets(around.text) }), find),
      score: rounded(score),
      matched: matched.length > 0 ? matched : namesIn(terms, find, inside(around)),
      nearby,
      cover: rounded(cover),
    });
  }
  return described;
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

function namesIn(terms: readonly Term[], find: FindTerms, text: string): string[] {
  const mask = maskIn(find, text);
  return terms.flatMap((term, n) => (mask & (1 << n) ? [term.text] : []));
}

/** The part of a session's heading that contains most of the words. */
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

/** Without the edges that it shares with its neighbours. */
const inside = ({ text, from, isLast }: Part): string =>
  text.slice(from === 0 ? 0 : overlap, isLast ? text.length : -overlap);

/** The part of a text that contains its first matching word, searched part by part. The beginning if there is none. */
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

/** A store counts characters and JavaScript counts code units, so a part is never shorter than requested. */
const isFull = (text: string): boolean => text.length >= window;
