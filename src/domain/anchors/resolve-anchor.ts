export type AnchorCandidate = { sessionId: string; title: string; confidence: number };

export type AnchorResolution =
  | { status: "resolved"; selected: AnchorCandidate; candidates: AnchorCandidate[] }
  | { status: "ambiguous" | "unresolved"; candidates: AnchorCandidate[] };

const exactTag = 0.95;
const titleWeight = 0.85;
const keptFrom = 0.6;

/** A session tagged with the keyword is certain; otherwise its title must share most of the keyword's parts. */
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

/** One candidate, or a single best that is certain, decides; several stay open for the reader. */
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
