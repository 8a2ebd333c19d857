import { setTimeout as sleep } from "node:timers/promises";
import { timeEach } from "./timing.ts";

/**
 * Files are written 15 ms behind the answers. A turn is over before that, and the next one, whichever it is, begins
 * when they are there: an agent thinks longer between two calls. What a caller without pauses meets is in the row
 * `callers`.
 */
const callsInTurn = 10;
const settleMs = 60;

export async function settledTurn(call: () => unknown): Promise<number[]> {
  await sleep(settleMs);
  return timeEach(callsInTurn, call);
}
