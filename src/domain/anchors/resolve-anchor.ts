/** `@keyword:S25` or `@keyword:S25-S30`: a thought in another session, found by that session's subject. */
export type Anchor = {
  text: string;
  keyword: string;
  from: number;
  to: number;
  /** Set if the range in the text exceeded the limit. */
  cut?: true;
};

const anchorPattern = /(?<![\w@])@([A-Za-z0-9][A-Za-z0-9_-]{0,63}):S(\d{1,7})(?:-S(\d{1,15}))?(?![\w])/g;
const longestRange = 200;
const maxAnchors = 500;

/** Returns the distinct anchors in a text, in order. Shortens ranges to 200 thoughts. */
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

export type AnchorCandidate = { sessionId: string; title: string; confidence: number };

export type AnchorResolution =
  | { status: "resolved"; selected: AnchorCandidate; candidates: AnchorCandidate[] }
  | { status: "ambiguous" | "unresolved"; candidates: AnchorCandidate[] };

const exactTag = 0.95;
const titleWeight = 0.85;
const keptFrom = 0.6;

/**
 * Rates a session as a match for a keyword: certain if the session has the keyword as a tag, possible if its
 * title contains most of the keyword's parts.
 */
export function rateCandidate(
  keyword: string,
  { title, tags }: { title: string; tags: readonly string[] },
): number {
  const wanted = keyword.toLowerCase();
  if (tags.some((tag) => tag.toLowerCase() === wanted)) return exactTag;
  const parts = wanted.split(/[-_]+/).filter(Boolean);
  const words = new Set(title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const shared = parts.filter((part) => words.has(part)).length;
  return parts.length === 0 ? 0 : Math.round((shared / parts.length) * titleWeight * 1_000) / 1_000;
}

/** Selects the only candidate, or the only certain one. If several remain, selects none. */
export function resolveAnchor(rated: readonly AnchorCandidate[]): AnchorResolution {
  const candidates = rated
    .filter(({ confidence }) => confidence >= keptFrom)
    .sort((a, b) => b.confidence - a.confidence || a.sessionId.localeCompare(b.sessionId));
  const certain = candidates.filter(({ confidence }) => confidence >= exactTag);
  const selected = candidates.length === 1 ? candidates[0] : certain.length === 1 ? certain[0] : undefined;
  if (selected) return { status: "resolved", selected, candidates };
  return {
    status: candidates.length === 0 ? "unresolved" : "ambiguous",
    candidates: candidates.slice(0, 10),
  };
}
