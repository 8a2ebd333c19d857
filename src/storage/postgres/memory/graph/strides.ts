/** Rows looked at in one go: a page at first, more and more where little of them fits. */
const maxAtOnce = 1_024;

/** The newest up to `end`, at most `count` of them, newest first; `isLast` where there is none before them. */
export type Fetch<Item = number> = (
  end: number,
  count: number,
) => Promise<{ items: Item[]; isLast: boolean }>;

/** From `start` down, in pieces. */
export async function* inStrides<Item>(
  start: number,
  limit: number,
  fetch: Fetch<Item>,
  seqOf: (item: Item) => number,
): AsyncGenerator<Item[]> {
  let end = start;
  for (let count = limit + 1; ; count = Math.min(count * 4, maxAtOnce)) {
    const { items, isLast } = await fetch(end, count);
    const last = items.at(-1);
    if (last === undefined) return;
    yield items;
    if (isLast) return;
    end = seqOf(last) - 1;
  }
}

/** Pieces of any length as batches: a page at first, then as large as strides. */
export async function* inBatches<Item>(
  pieces: AsyncIterable<readonly Item[]>,
  limit: number,
): AsyncGenerator<Item[]> {
  let waiting: Item[] = [];
  let size = limit + 1;
  for await (const piece of pieces) {
    waiting = waiting.concat(piece);
    while (waiting.length >= size) {
      yield waiting.slice(0, size);
      waiting = waiting.slice(size);
      size = Math.min(size * 4, maxAtOnce);
    }
  }
  if (waiting.length > 0) yield waiting;
}

export const itself = (seq: number): number => seq;

/** What a statement with `LIMIT count` found. */
export const limitedTo = <Item>(items: Item[], count: number): { items: Item[]; isLast: boolean } => ({
  items,
  isLast: items.length < count,
});

/** Several lists, each newest first and of at most `count`, merged into one without doubles. */
export function newestOf(
  lists: readonly (readonly number[])[],
  count: number,
): { items: number[]; isLast: boolean } {
  // Below the end of a list that was cut off, another list could hold what this one has not shown yet.
  const floor = Math.max(0, ...lists.map((list) => (list.length === count ? (list.at(-1) ?? 0) : 0)));
  const items = [...new Set(lists.flat())].filter((seq) => seq >= floor).sort((one, other) => other - one);
  return { items, isLast: lists.every((list) => list.length < count) };
}
