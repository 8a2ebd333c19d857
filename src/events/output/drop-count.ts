export type DropCount = {
  add(dropped: number): void;
  /** Reports what has not been reported yet. */
  report(): void;
};

/** A loss is reported as one number, not line by line: when it is over, and now and then while it lasts. */
export function createDropCount(tell: (count: number) => void, everyMs: number): DropCount {
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  function report(): void {
    clearTimeout(timer);
    timer = undefined;
    if (count > 0) tell(count);
    count = 0;
  }

  return {
    add(dropped) {
      if (dropped === 0) return;
      count += dropped;
      timer ??= setTimeout(report, everyMs).unref();
    },
    report,
  };
}
