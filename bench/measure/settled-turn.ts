import { setTimeout as sleep } from "node:timers/promises";
import { timeEach } from "./timing.ts";

/**
 * The server writes files 15 ms after it answers. A turn ends before that, and the next turn starts after the files
 * are written, because an agent also thinks between calls. The `callers` row measures callers that do not pause.
 */
const callsInTurn = 10;
const settleMs = 60;

export async function settledTurn(call: () => unknown): Promise<number[]> {
  await sleep(settleMs);
  return timeEach(callsInTurn, call);
}
