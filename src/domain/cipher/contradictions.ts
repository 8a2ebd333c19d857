import { cipherTypes, type Span } from "./notation.ts";

/**
 * The position of a reference relative to `⊖`. A reference that is `right` or `alone` is contradicted: S2 is
 * `right` in `[S3] ⊖ [S2]`, and `alone` in `[S2] ⊖ the trace`. An `unclear` reference is right of `⊖`, but
 * other text separates the two. A `doubtful` reference is left of a `⊖` that has only `unclear` references on
 * its right.
 */
type Side = "left" | "right" | "alone" | "unclear" | "doubtful";

export type Contradictions<Reference> = {
  sides: ReadonlyMap<Reference, Side>;
  /** For `[S3] ⊖ [S2]`, the references to S3 and S2. */
  pairs: readonly (readonly [left: Reference, right: Reference])[];
};

const markup = "\\s:*_~\"'“”„‘’«»`()";
const typeNames = Object.values(cipherTypes).map(({ name }) => `${name}s?`);
const nouns = ["steps?", "thoughts?", "claims?", "hypotheses", ...typeNames].join("|");

/** The text allowed between `⊖` and the reference it contradicts, for example `⊖ **[S2]**` or `⊖ step [S2]`. */
const lead = `[${markup}=>–—-]*(?:(?:the|both)\\s+)?(?:(?:${nouns})[${markup}]*)?`;
const onlyLead = new RegExp(`^${lead}$`, "i");
const onlyMarkup = new RegExp(`^[${markup}]*$`);
const onlyListWords = new RegExp(
  `^[${markup},/&+∧∨]*(?:(?:and|or)[${markup}]*(?:(?:${nouns})[${markup}]*)?)?$`,
  "i",
);

/**
 * Text that probably means a step but is not a valid reference, for example `S2`, `[2]` or `[S1,S2]`. Bounded
 * repetition keeps matching cheap.
 */
const bareSteps = new RegExp(
  `^${lead}(?:\\[[^\\]\\n]{0,70}?S\\d{1,15}|\\[\\d{1,15}|(?:(?<![\\w-])[\\w-]{1,64}:)?S\\d{1,15}(?![\\w-]))`,
  "i",
);

/**
 * The end of a sentence or clause. A full stop or a blank line ends a clause only before a capital letter or
 * a list item. A semicolon does not end a clause before a single reference, as in `⊖ [S1]; [S2]`.
 */
const clauseEnd =
  /;(?!\s{0,40}\^?\[[^\]\n]{1,100}\](?!\s{0,40}⊖))|(?:(?<!\b(?:e\.g|i\.e|[cC]f|vs|ca|[nN]o))[.!?]["'”’)*]*\s|(?<!\n)\n[^\S\n]{0,40}\n)\s{0,40}(?=\p{Lu}|[-*•#>]\s|\d{1,3}[.)]\s)/gu;

/**
 * Finds the references that `⊖` contradicts. The text to the right of `⊖` ends at the next `⊖` or with the
 * clause. `references` are the inline references in order, with spans offset by `contentStart`.
 */
export function readContradictions<Reference extends Span>(
  content: string,
  contentStart: number,
  references: readonly Reference[],
): Contradictions<Reference> {
  const sides = new Map<Reference, Side>();
  const pairs: [Reference, Reference][] = [];
  if (!content.includes("⊖")) return { sides, pairs };
  let [next, begin] = [0, 0];
  const ends = [...content.matchAll(clauseEnd)].map(({ 0: { length }, index }) => index + length);
  for (const end of [...ends, content.length]) {
    const clause: Reference[] = [];
    for (; next < references.length; next += 1) {
      const reference = references[next];
      if (!reference || reference.start - contentStart >= end) break;
      clause.push(reference);
    }
    const text = content.slice(begin, end);
    if (text.includes("⊖")) readClause(text, contentStart + begin, clause);
    begin = end;
  }
  return { sides, pairs };

  function readClause(text: string, start: number, clause: readonly Reference[]): void {
    const signs = [...text.matchAll(/⊖/g)].map(({ index }) => index);
    let read = 0;
    for (const [nth, sign] of signs.entries()) {
      const segmentEnd = signs[nth + 1] ?? text.length;
      while ((clause[read]?.start ?? Number.POSITIVE_INFINITY) - start < sign) read += 1;
      const known = clause[read - 1];
      // Ignores a reference that is left of an earlier `⊖`, because it belongs to that sign.
      const before = known && known.start - start > (signs[nth - 1] ?? -1) ? known : undefined;
      const gap = before && text.slice(before.end - start, sign);
      const left = gap !== undefined && onlyMarkup.test(gap) ? before : undefined;
      const after: Reference[] = [];
      for (let at = read; (clause[at]?.start ?? Number.POSITIVE_INFINITY) - start < segmentEnd; at += 1)
        after.push(clause[at] as Reference);
      readSigned(text.slice(sign + 1, segmentEnd), start + sign + 1, left, after);
    }
  }

  function readSigned(
    text: string,
    start: number,
    left: Reference | undefined,
    after: readonly Reference[],
  ): void {
    const contradicted: Reference[] = [];
    let [end, isDirect] = [0, true];
    for (const reference of after) {
      const gap = text.slice(end, reference.start - start);
      isDirect &&= (contradicted.length === 0 ? onlyLead : onlyListWords).test(gap);
      if (isDirect) contradicted.push(reference);
      sides.set(reference, isDirect ? "right" : "unclear");
      end = reference.end - start;
    }
    if (!left) return;
    for (const right of contradicted) pairs.push([left, right]);
    const known = sides.get(left);
    if (contradicted.length > 0 || bareSteps.test(text)) sides.set(left, known ?? "left");
    else if (after.length > 0) sides.set(left, known ?? "doubtful");
    else sides.set(left, known === "right" ? known : "alone");
  }
}
