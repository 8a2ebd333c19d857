/** Work that can be interrupted after each step; what it returns is its result. */
export type Steps<Result> = Generator<void, Result>;

export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Others wait no longer than this for their turn. */
const turnMs = 25;

/** For long work that waits for things anyway: called after each piece, it lets others in when their turn has come. */
export function createTurns(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < turnMs) return;
    await new Promise(setImmediate);
    began = performance.now();
  };
}

/** Does long work in pieces, so that other calls and signals are heard in between. */
export async function runInTurns<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  let began = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - began < turnMs) continue;
    await new Promise(setImmediate);
    if (signal?.aborted) {
      // Thrown where the work was interrupted, so that it closes what it has open.
      steps.throw(signal.reason);
      throw signal.reason;
    }
    began = performance.now();
  }
}

/** Steps among parts of a text, to which they add nothing. */
export function* withoutText<Result>(steps: Steps<Result>): Generator<string, Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    yield "";
  }
}

/** Sorted at once: a millisecond or so. */
const atOnce = 2_048;

/** `toSorted`, stable like it, in short steps. */
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
