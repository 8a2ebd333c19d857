import { byAge, type CardEdge, type CardNode, isOpen } from "../cards/card.ts";

export type HighlightLimits = { decisions: number; evidence: number; blockers: number };
export type Highlights = { blockers: CardNode[]; decisions: CardNode[]; evidence: CardNode[] };

/**
 * What somebody who resumes asks first: what was decided, on which evidence, and what is in the way. The evidence of
 * the newest decisions comes before evidence that is merely newer.
 */
export function highlight(
  cards: readonly CardNode[],
  edges: readonly CardEdge[],
  limits: HighlightLimits,
): Highlights {
  const newest = cards.toSorted(byAge);
  const decisions = newest.filter(({ type }) => type === "decision").slice(0, limits.decisions);
  const supported = new Set(decisions.map(({ id }) => id));
  const used = new Set(
    edges
      .filter(({ rel }) => rel === "supports")
      .flatMap(({ from, to }) => [
        ...(supported.has(to) ? [from] : []),
        ...(supported.has(from) ? [to] : []),
      ]),
  );
  const evidence = newest.filter(({ type }) => type === "evidence");
  const blocking = new Set(edges.filter(({ rel }) => rel === "blocks").map(({ from }) => from));
  return {
    blockers: newest
      .filter((card) => isOpen(card) && (blocking.has(card.id) || card.tags.includes("blocker")))
      .slice(0, limits.blockers),
    decisions,
    evidence: [
      ...evidence.filter(({ id }) => used.has(id)),
      ...evidence.filter(({ id }) => !used.has(id)),
    ].slice(0, limits.evidence),
  };
}
