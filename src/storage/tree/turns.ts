/** How long other work may have to wait for ours. */
const turnMs = 2;

/**
 * Cuts long work into short turns on the main thread. System calls made in place cost a third of what handing
 * them to the thread pool costs, so the files are written and read here, a few at a time.
 */
export function createTurns() {
  let began = performance.now();
  return {
    isOver: (): boolean => performance.now() - began >= turnMs,
    async next(): Promise<void> {
      await new Promise(setImmediate);
      began = performance.now();
    },
  };
}

export type Turns = ReturnType<typeof createTurns>;
