/** Returns the current time. Passed as an argument, so that tests can choose the time. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

export type Patience = {
  /** The work runs once there has been no further request for this long. */
  quietMs: number;
  /** The work runs no later than this long after the first request. */
  patienceMs: number;
  /** Keeps the process alive until the work is done. Set for work that cannot run after the next startup instead. */
  keepsAlive?: true;
};

/** Runs work in the next pause between requests, so that it does not delay a busy caller. */
export function createWhenQuiet(work: () => void, { quietMs, patienceMs, keepsAlive }: Patience) {
  let timer: NodeJS.Timeout | undefined;
  let askedFirst = 0;
  let askedLast = 0;

  function ringIn(ms: number): void {
    timer = setTimeout(ring, ms);
    if (!keepsAlive) timer.unref();
  }

  function ring(): void {
    const now = performance.now();
    const left = Math.min(askedLast + quietMs, askedFirst + patienceMs) - now;
    // A timer may fire a little early.
    if (left > 0.5) ringIn(left);
    else {
      timer = undefined;
      work();
    }
  }

  return {
    later(): void {
      askedLast = performance.now();
      if (timer !== undefined) return;
      askedFirst = askedLast;
      ringIn(Math.min(quietMs, patienceMs));
    },
    cancel(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
