import type { Steps } from "../../../kernel/steps.ts";
import { createTimeSlices } from "../write/time-slices.ts";

/** Does long work in short slices, so that signals and other work are heard in between. */
export async function runInSlices<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  const slices = createTimeSlices();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (!slices.isOver()) continue;
    await slices.next();
    signal?.throwIfAborted();
  }
}
