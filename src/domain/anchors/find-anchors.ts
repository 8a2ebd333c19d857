/** `@keyword:S25` or `@keyword:S25-S30`: a thought of another session, found by what that session is about. */
export type Anchor = {
  text: string;
  keyword: string;
  from: number;
  to: number;
  /** The range as it was written is longer than any that is read. */
  cut?: true;
};

const anchorPattern = /(?<![\w@])@([A-Za-z0-9][A-Za-z0-9_-]{0,63}):S(\d{1,7})(?:-S(\d{1,15}))?(?![\w])/g;
const longestRange = 200;
const maxAnchors = 500;

/** Anchors of a text, each once, in order. Ranges are read at most 200 thoughts long. */
export function findAnchors(text: string): Anchor[] {
  const found = new Map<string, Anchor>();
  for (const [match, keyword = "", first = "0", last = first] of text.matchAll(anchorPattern)) {
    const from = Number(first);
    if (from < 1 || Number(last) < from) continue;
    const to = Math.min(Number(last), from + longestRange - 1);
    found.set(match, { text: match, keyword, from, to, ...(to < Number(last) && { cut: true }) });
    if (found.size >= maxAnchors) break;
  }
  return [...found.values()];
}
