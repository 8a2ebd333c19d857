import { setTimeout as sleep } from "node:timers/promises";

/** How long other work may have to wait for ours: about as long as a call takes. */
const turnMs = 0.5;
/** How long other work has the thread to itself where ours is not urgent. */
const restMs = 2;

/**
 * Cuts long work into short slices on the main thread. System calls made in place cost a third of what handing
 * them to the thread pool costs, so the files are written and read here, a few at a time.
 */
export function createTimeSlices() {
  let began = performance.now();
  return {
    isOver: (): boolean => performance.now() - began >= turnMs,
    /** Lets others have a go: one, or with `rest` whatever they can do in a moment. */
    async next(rest = false): Promise<void> {
      await (rest ? sleep(restMs) : new Promise(setImmediate));
      began = performance.now();
    },
  };
}

export type TimeSlices = ReturnType<typeof createTimeSlices>;
