/** One timer that can be drawn nearer but not pushed away. It does not keep the process alive. */
export function createWakeUp(ring: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let at = Number.POSITIVE_INFINITY;

  function cancel(): void {
    clearTimeout(timer);
    timer = undefined;
    at = Number.POSITIVE_INFINITY;
  }

  return {
    in(ms: number): void {
      const wanted = performance.now() + ms;
      if (wanted >= at) return;
      clearTimeout(timer);
      at = wanted;
      timer = setTimeout(() => {
        cancel();
        ring();
      }, ms).unref();
    },
    cancel,
  };
}
