import { setImmediate as nextTurn } from "node:timers/promises";

/** Characters to process without a pause, which takes a few hundredths of a second. */
const charsAtOnce = 500_000;
const charsOfOne = 500;

export function createPacer(signal: AbortSignal) {
  let done = 0;
  return async (chars: number): Promise<void> => {
    done += chars + charsOfOne;
    if (done < charsAtOnce) return;
    done = 0;
    await nextTurn();
    signal.throwIfAborted();
  };
}
