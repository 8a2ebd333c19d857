/** How a thought is drawn: a bar, a letter, a letter and number, or a card with text. */
export const TIER = { grain: 0, bead: 1, tile: 2, card: 3 } as const;
export type Tier = (typeof TIER)[keyof typeof TIER];

/** Below this zoom, one picture of the whole session is drawn instead of individual thoughts. */
export const FAR = 0.07;
/** At this zoom and above, card text is 12.5 px. Below this zoom, card text is 11 px. */
export const BIG_CARDS = 0.8;

/** At this zoom and above, a thought is a card with text. */
export const READABLE = 0.5;

export function tierOf(zoom: number): Tier {
  if (zoom < 0.12) return TIER.grain;
  if (zoom < 0.28) return TIER.bead;
  return zoom < READABLE ? TIER.tile : TIER.card;
}
