import { setImmediate as nextTurn } from "node:timers/promises";

/** A few hundredths of a second of text processing. Short texts have a cost too. */
const charsAtOnce = 500_000;
const charsOfOne = 500;

/** Lets other work run after this many characters. */
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
