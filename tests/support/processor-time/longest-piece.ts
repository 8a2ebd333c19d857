import { expect } from "vitest";
import { longestPiece } from "../../../bench/measure/longest-piece.ts";

export type Piece = { what: string; ms: number };

/** So much of our own processor time may pass before others get their turn. */
const longestAllowedMs = 200;
/** A busy machine makes caches cold and clocks slow, but not three times in a row. */
const attempts = 3;

/** The most processor time that `work` took in one piece; taken again where it was too much. */
export const takeLongest = (what: string, work: () => Promise<unknown>): Promise<Piece> =>
  takeLongestAfter(what, () => undefined, work);

/** The same where the test has to prepare something for each attempt, which costs time of its own. */
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
