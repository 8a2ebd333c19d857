/** A session at a glance: its types in order, as coloured bars. */
export type Fingerprint = {
  /** Width of a bar and the space after it. */
  step: number;
  /** Type codes from left to right. */
  bars: Uint8Array;
};

/** Bars are at most a 48th of the width, so a short session does not fill the width. */
const LEAST_BARS = 48;
const NARROWEST = 2;

/** Returns the bars for a session. Samples the types evenly if two-pixel bars for all of them do not fit. */
export function fingerprint(types: ArrayLike<number>, count: number, width: number): Fingerprint {
  const bars = new Uint8Array(Math.max(0, Math.min(count, Math.floor(width / NARROWEST))));
  for (let k = 0; k < bars.length; k++) bars[k] = types[Math.floor((k * count) / bars.length)] ?? 0;
  return { step: width / Math.max(bars.length, LEAST_BARS), bars };
}
