import { readFileSync } from "node:fs";

/**
 * The most processor time that `work` takes in one piece, in milliseconds. Between two turns of the event loop no
 * signal, timer or other client is heard: that is one piece.
 */
export async function longestPiece(work: () => Promise<unknown>): Promise<number> {
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
