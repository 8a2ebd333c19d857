import { setTimeout as sleep } from "node:timers/promises";

/** How long other work may have to wait for this work: about as long as a call takes. */
const turnMs = 0.5;
/** How long other work has the thread to itself if this work is not urgent. */
const restMs = 2;

/**
 * Splits long work into short slices on the main thread. Synchronous system calls cost a third of what the thread pool
 * costs, so files are written and read here, a few at a time.
 */
export function createTimeSlices() {
  let began = performance.now();
  return {
    isOver: (): boolean => performance.now() - began >= turnMs,
    /** Lets other work run: one turn of the event loop, or with `rest` a short time. */
    async next(rest = false): Promise<void> {
      await (rest ? sleep(restMs) : new Promise(setImmediate));
      began = performance.now();
    },
  };
}

export type TimeSlices = ReturnType<typeof createTimeSlices>;
