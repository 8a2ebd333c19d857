/** Work that can be interrupted after each step. The generator's return value is the result. */
export type Steps<Result> = Generator<void, Result>;

export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** How long work may continue before other work runs. */
const turnMs = 25;

/**
 * Lets other calls run during long asynchronous work. Call the returned function after each part. It waits
 * for other calls only if `turnMs` has passed.
 */
export function createTurns(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < turnMs) return;
    await new Promise(setImmediate);
    began = performance.now();
  };
}

/** Runs long work step by step, so that other calls and signals are handled in between. */
export async function runInTurns<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  let began = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - began < turnMs) continue;
    await new Promise(setImmediate);
    if (signal?.aborted) {
      // Throws inside the generator, so that it closes its resources.
      steps.throw(signal.reason);
      throw signal.reason;
    }
    began = performance.now();
  }
}

/** Runs steps inside a generator of text parts, to which the steps add no text. */
export function* withoutText<Result>(steps: Steps<Result>): Generator<string, Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield "";
  }
}

/** How many items to sort at once. That takes about a millisecond. */
const atOnce = 2_048;

/** Sorts like `toSorted`, but in short steps. The sort is stable too. */
export function* sortInSteps<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Steps<Item[]> {
  let sorted: Item[] = [];
  for (let start = 0; start < items.length; start += atOnce) {
    for (const item of items.slice(start, start + atOnce).sort(compare)) sorted.push(item);
    yield;
  }
  for (let width = atOnce; width < items.length; width *= 2) {
    const merged: Item[] = [];
    for (let start = 0; start < items.length; start += 2 * width) {
      const middle = Math.min(start + width, items.length);
      const end = Math.min(start + 2 * width, items.length);
      let [left, right] = [start, middle];
      while (left < middle || right < end) {
        const takesLeft =
          right >= end || (left < middle && compare(sorted[left] as Item, sorted[right] as Item) <= 0);
        merged.push(sorted[takesLeft ? left++ : right++] as Item);
        if (merged.length % atOnce === 0) yield;
      }
    }
    sorted = merged;
  }
  return sorted;
}
