import type { Steps } from "../../kernel/steps.ts";

/** Others wait no longer than this for their turn. */
const turnMs = 25;
/** Looking at the clock costs more than a step. */
const stepsAtOnce = 50;

/** Does long work in pieces, so that other calls and signals are heard in between. */
export async function runInTurns<Result>(steps: Steps<Result>, signal: AbortSignal): Promise<Result> {
  let began = performance.now();
  for (let count = 1; ; count += 1) {
    const { done, value } = steps.next();
    if (done) return value;
    if (count % stepsAtOnce > 0 || performance.now() - began < turnMs) continue;
    await new Promise(setImmediate);
    signal.throwIfAborted();
    began = performance.now();
  }
}
