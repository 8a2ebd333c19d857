import { readFileSync } from "node:fs";

/**
 * Returns the longest processor time that `work` takes without returning to the event loop, in milliseconds.
 * During that time the process handles no signal, timer or other client.
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

/** Returns the main thread's processor time so far, in milliseconds. Excludes waiting and other processes. */
function processorTime(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
  }
}
