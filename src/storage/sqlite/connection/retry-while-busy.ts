import { isBusy } from "./sqlite-errors.ts";

/** `giveUpAt` in the time of `performance.now()`, asked anew after each try. */
export async function retryWhileBusy<Result>(attempt: () => Result, giveUpAt: () => number): Promise<Result> {
  for (;;) {
    try {
      return attempt();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() > giveUpAt()) throw thrown;
    }
    await pause();
  }
}

/** SQLite's own waiting starves late-comers; short random pauses share a lock evenly. */
function pause(): Promise<void> {
  const ms = 0.2 + Math.random() * 1.5;
  return new Promise((resolve) => (ms < 0.7 ? setImmediate(resolve) : setTimeout(resolve, ms)));
}
