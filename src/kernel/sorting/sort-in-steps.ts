import type { Steps } from "../steps.ts";

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
