import { isFallen } from "./decision.ts";

/** A card that others rest on, as far as it matters to them. */
export type Ground = {
  id: string;
  title?: string | undefined;
  type: string;
  status?: string | undefined;
  /** Keys of what it rests on itself. */
  restsOn: readonly string[];
};

/** Decisions that no longer count and that a card rests on, directly or through others. Each once, the nearest first. */
export function fallenBelow(key: string, known: ReadonlyMap<string, Ground>): Ground[] {
  const seen = new Set([key]);
  const fallen: Ground[] = [];
  let round = [key];
  while (round.length > 0) {
    const next = round.flatMap((at) => known.get(at)?.restsOn ?? []).filter((at) => !seen.has(at));
    round = [...new Set(next)];
    for (const at of round) {
      seen.add(at);
      const ground = known.get(at);
      if (ground && isFallen(ground)) fallen.push(ground);
    }
  }
  return fallen;
}
