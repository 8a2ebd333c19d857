/** The time, handed in from the edge: rules that ask a clock can be tested at any hour. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

export type Patience = {
  /** How long no further request may arrive before the work runs. */
  quietMs: number;
  /** So long after it was first asked for, it is done in any case. */
  patienceMs: number;
  /** The process does not end before it is done; for work that nothing makes up for at the next start. */
  keepsAlive?: true;
};

/** Work that has to be done soon and may wait for a pause: it does not delay a busy caller. */
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
    // A timer may ring a little early.
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
