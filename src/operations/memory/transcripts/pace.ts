import { setImmediate as nextTurn } from "node:timers/promises";

/** A few hundredths of a second of whatever is done with texts; short ones cost something too. */
const charsAtOnce = 500_000;
const charsOfOne = 500;

/** Lets others have their turn after every so many characters of work. */
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
