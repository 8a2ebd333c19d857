/** A session at a glance: its types in order, each bar a colour. */
export type Fingerprint = {
  /** Width of a bar with the space after it. */
  step: number;
  /** Type codes from left to right. */
  bars: Uint8Array;
};

/** A short session does not fill the width: bars are never wider than a 48th of it. */
const LEAST_BARS = 48;
const NARROWEST = 2;

/** More types than bars of two pixels are sampled evenly. */
export function fingerprint(types: ArrayLike<number>, count: number, width: number): Fingerprint {
  const bars = new Uint8Array(Math.max(0, Math.min(count, Math.floor(width / NARROWEST))));
  for (let k = 0; k < bars.length; k++) bars[k] = types[Math.floor((k * count) / bars.length)] ?? 0;
  return { step: width / Math.max(bars.length, LEAST_BARS), bars };
}
