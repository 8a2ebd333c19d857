import { readFileSync } from "node:fs";
import { expect } from "vitest";

export type Piece = { what: string; ms: number };

/** So much of our own processor time may pass before others get their turn. */
const longestAllowedMs = 200;
/** A busy machine makes caches cold and clocks slow, but not three times in a row. */
const attempts = 3;

/** The most processor time that `work` took in one piece; taken again where it was too much. */
export async function takeLongest(what: string, work: () => Promise<unknown>): Promise<Piece> {
  let ms = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && ms > longestAllowedMs; attempt += 1)
    ms = Math.min(ms, await longestPiece(work));
  return { what, ms: Math.round(ms) };
}

export function expectShortPieces(pieces: readonly Piece[]): void {
  expect(pieces.length).toBeGreaterThan(0);
  expect(pieces.filter(({ ms }) => ms > longestAllowedMs)).toEqual([]);
}

/** Between two turns of the event loop no signal, timer or other client is heard: that is one piece. */
async function longestPiece(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = processorTime();
  let isDone = false;
  const look = () => {
    const now = processorTime();
    longest = Math.max(longest, now - before);
    before = now;
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    isDone = true;
    look();
  }
  return longest;
}

/** Of the main thread so far, in milliseconds: waiting and other processes do not count. */
function processorTime(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
  }
}
