/** Durations of animations in milliseconds, as in the style sheet. */
export const ARRIVAL = 200;
export const RIPPLE = 900;
export const CAMERA_MOVE = 320;
/** Thoughts that arrive within this many milliseconds of each other are not animated. */
export const RUSH = 250;

/** Approximates `cubic-bezier(.2, 0, 0, 1)`, which starts fast and ends slowly. */
export function easeOut(share: number): number {
  const t = Math.min(1, Math.max(0, share));
  return 1 - (1 - t) ** 3;
}

export const prefersStillness = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
