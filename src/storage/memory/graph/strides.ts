import type { Query } from "../query.ts";

/**
 * The maximum number of rows to read at once. The first stride reads one page, and later ones grow if few rows match.
 */
const maxAtOnce = 1_024;

/**
 * Returns the newest items up to `end`, newest first and at most `count`. `isLast` is true if there are no older items.
 */
export type Fetch<Item = number> = (
  end: number,
  count: number,
) => Query<{ items: readonly Item[]; isLast: boolean }>;

/** Returns the next part of a list, or `undefined` at its end. The list is read only as far as needed. */
export type Pieces<Item> = () => Query<readonly Item[] | undefined>;

/** Reads downwards from `start`, in pieces. */
export function inStrides<Item>(
  start: number,
  limit: number,
  fetch: Fetch<Item>,
  seqOf: (item: Item) => number,
): Pieces<Item> {
  let end: number | undefined = start;
  let count = limit + 1;
  return function* () {
    if (end === undefined) return undefined;
    const { items, isLast } = yield* fetch(end, count);
    const last = items.at(-1);
    end = isLast || last === undefined ? undefined : seqOf(last) - 1;
    count = Math.min(count * 4, maxAtOnce);
    return last === undefined ? undefined : items;
  };
}

/** Regroups pieces of any length into batches: one page at first, later as large as strides. */
export function inBatches<Item>(pieces: Pieces<Item>, limit: number): Pieces<Item> {
  let waiting: readonly Item[] = [];
  let size = limit + 1;
  let isAtEnd = false;
  return function* () {
    while (!isAtEnd && waiting.length < size) {
      const piece = yield* pieces();
      if (piece) waiting = waiting.concat(piece);
      else isAtEnd = true;
    }
    const batch = waiting.slice(0, size);
    waiting = waiting.slice(size);
    size = Math.min(size * 4, maxAtOnce);
    return batch.length === 0 ? undefined : batch;
  };
}

/** Returns the pieces of several parts, one part after the other. `next` returns the next part. */
export function inParts<Part, Item>(
  next: () => Query<Part | undefined>,
  open: (part: Part) => Pieces<Item>,
): Pieces<Item> {
  let pieces: Pieces<Item> | undefined;
  return function* () {
    for (;;) {
      const piece = pieces && (yield* pieces());
      if (piece) return piece;
      const part = yield* next();
      if (part === undefined) return undefined;
      pieces = open(part);
    }
  };
}

/** Returns the items of a list one at a time, as `inParts` expects. */
export function oneByOne<Item>(items: Iterable<Item>): () => Query<Item | undefined> {
  const iterator = items[Symbol.iterator]();
  // biome-ignore lint/correctness/useYield: it needs no request
  return function* () {
    const { done, value } = iterator.next();
    return done ? undefined : value;
  };
}

export const itself = (seq: number): number => seq;

/** Returns the result of a statement with `LIMIT count`. */
export const limitedTo = <Item>(items: readonly Item[], count: number) => ({
  items,
  isLast: items.length < count,
});

/** Merges lists of at most `count` items, each sorted newest first. Removes duplicates. */
export function newestOf(
  lists: readonly (readonly number[])[],
  count: number,
): { items: number[]; isLast: boolean } {
  // A truncated list may continue below its last item, so items below the highest of these last items must
  // wait.
  const floor = Math.max(0, ...lists.map((list) => (list.length === count ? (list.at(-1) ?? 0) : 0)));
  const items = [...new Set(lists.flat())].filter((seq) => seq >= floor).sort((one, other) => other - one);
  return { items, isLast: lists.every((list) => list.length < count) };
}
