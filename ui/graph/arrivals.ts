import { MARKS } from "../model/columns.ts";
import { prefersStillness, RIPPLE, RUSH } from "./motion.ts";
import type { Scene } from "./scene.ts";

/** A card counts as seen after it has been in view for this many milliseconds. */
const SEEN_AFTER = 10_000;

export type Arrivals = {
  /** Starts the entrance animation of the thoughts that have just arrived, starting at `first`. */
  greet(first: number, now: number): void;
  /** Removes finished entrance animations. Returns `true` while others are still running. */
  step(now: number): boolean;
  /** Removes the underline from cards that have been in view long enough. Returns `true` if something changed. */
  markSeen(inView: Iterable<number>, now: number): boolean;
};

export function createArrivals(scene: Scene): Arrivals {
  let lastArrival = Number.NEGATIVE_INFINITY;
  const inViewSince = new Map<number, number>();

  return {
    greet(first, now) {
      const { size } = scene.columns;
      const isRush = size - first > 1 || now - lastArrival < RUSH;
      lastArrival = now;
      if (!isRush && !prefersStillness()) scene.arriving.set(first, now);
    },
    step(now) {
      for (const [i, since] of scene.arriving)
        if (now - since > RIPPLE) {
          scene.arriving.delete(i);
          scene.version++;
        }
      return scene.arriving.size > 0;
    },
    markSeen(inView, now) {
      let isChanged = false;
      for (const i of inView) {
        if (((scene.columns.marks[i] ?? 0) & MARKS.unseen) === 0) continue;
        const since = inViewSince.get(i) ?? now;
        inViewSince.set(i, since);
        if (i !== scene.selected && now - since < SEEN_AFTER) continue;
        inViewSince.delete(i);
        scene.columns.setMark(i, MARKS.unseen, false);
        isChanged = true;
      }
      return isChanged;
    },
  };
}
