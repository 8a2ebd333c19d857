import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { byAge, type CardEdge, type CardNode, isOpen, isPinned, nameOf } from "../cards/card.ts";
import { laneOf } from "../cards/visibility.ts";
import { isFallen } from "../decisions/decision.ts";

export type HighlightLimits = { decisions: number; evidence: number; blockers: number };
export type Highlights = { blockers: CardNode[]; decisions: CardNode[]; evidence: CardNode[] };

/**
 * Selects what an agent needs first when it resumes: decisions, their evidence, and blockers. Evidence for the newest
 * decisions ranks before newer evidence.
 */
export function highlight(
  cards: readonly CardNode[],
  edges: readonly CardEdge[],
  limits: HighlightLimits,
): Highlights {
  const newest = cards.toSorted(byAge);
  const decisions = newest
    .filter((card) => card.type === "decision" && !isFallen(card))
    .slice(0, limits.decisions);
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

type Top = { id: string; type: string; title: string };
type LaneSummary = { lane: string; cards: number; open: number; pinned: number; top: Top[] };

const topCards = 3;
const maxLanes = 16;

/** Summarises each lane in the slice: its card counts and its most important pinned and open cards. */
export function summariseLanes(cards: readonly CardNode[]): LaneSummary[] {
  const lanes = new Map<string, CardNode[]>();
  for (const card of cards.toSorted(byAge)) {
    const lane = laneOf(card);
    const known = lanes.get(lane);
    if (known) known.push(card);
    else lanes.set(lane, [card]);
  }
  return [...lanes]
    .sort(([one, these], [other, those]) => those.length - these.length || (one < other ? -1 : 1))
    .slice(0, maxLanes)
    .map(([lane, members]) => ({
      lane,
      cards: members.length,
      open: members.filter(isOpen).length,
      pinned: members.filter(isPinned).length,
      top: [...members.filter(isPinned), ...members.filter((card) => isOpen(card) && !isPinned(card))]
        .slice(0, topCards)
        .map((card) => ({ id: card.id, type: card.type, title: clipWhole(nameOf(card), 80) })),
    }));
}
