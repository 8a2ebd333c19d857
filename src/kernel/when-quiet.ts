export type Patience = {
  /** So long nobody must have asked again before the work is done. */
  quietMs: number;
  /** So long after it was first asked for, it is done in any case. */
  patienceMs: number;
};

/**
 * Work that has to be done soon and may wait for a pause: a caller in full flow is not held up by it. The timer does not
 * keep the process alive.
 */
export function createWhenQuiet(work: () => void, { quietMs, patienceMs }: Patience) {
  let timer: NodeJS.Timeout | undefined;
  let askedFirst = 0;
  let askedLast = 0;

  function ring(): void {
    const now = performance.now();
    const left = Math.min(askedLast + quietMs, askedFirst + patienceMs) - now;
    // A timer may ring a little early.
    if (left > 0.5) timer = setTimeout(ring, left).unref();
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
      timer = setTimeout(ring, Math.min(quietMs, patienceMs)).unref();
    },
    cancel(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
