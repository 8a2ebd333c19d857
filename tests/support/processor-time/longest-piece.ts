import { expect } from "vitest";
import { longestPiece } from "../../../bench/measure/longest-piece.ts";

export type Piece = { what: string; ms: number };

/** The most milliseconds of processor time that may pass before the event loop continues. */
const longestAllowedMs = 200;
/** Measurements before a failure. A busy machine is not slow three times in a row. */
const attempts = 3;

/** Returns the longest processor time that `work` takes without a break. Tries again if that is too long. */
export const takeLongest = (what: string, work: () => Promise<unknown>): Promise<Piece> =>
  takeLongestAfter(what, () => undefined, work);

/** Like `takeLongest`, but does not measure the preparation that each attempt needs. */
export async function takeLongestAfter<Ready>(
  what: string,
  prepare: () => Ready,
  work: (ready: Ready) => Promise<unknown>,
): Promise<Piece> {
  let ms = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && ms > longestAllowedMs; attempt += 1) {
    const ready = prepare();
    ms = Math.min(ms, await longestPiece(() => work(ready)));
  }
  return { what, ms: Math.round(ms) };
}

export function expectShortPieces(pieces: readonly Piece[]): void {
  expect(pieces.length).toBeGreaterThan(0);
  expect(pieces.filter(({ ms }) => ms > longestAllowedMs)).toEqual([]);
}
