import { byAge, type CardNode, isOpen, isPinned, nameOf } from "../cards/card.ts";
import { laneOf } from "../cards/visibility.ts";

type Top = { id: string; type: string; title: string };
export type LaneSummary = { lane: string; cards: number; open: number; pinned: number; top: Top[] };

const topCards = 3;
const maxLanes = 16;

/** Whose cards the slice holds: counts, and the pinned and open ones that matter most in each lane. */
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
        .map((card) => ({ id: card.id, type: card.type, title: nameOf(card).slice(0, 80) })),
    }));
}
