import type { Address } from "../thought.ts";
import type { PlainThought } from "./plain-thought.ts";

/** The thoughts of one chain, ordered by number. `fork` is set for a branch. */
export type PlainChain = { branchId: string | undefined; fork?: Address; thoughts: readonly PlainThought[] };

type Queue = PlainChain & { place: number; next: number; time: string };

/**
 * Orders thoughts written by earlier versions of Thoughtbox, which did not record the order of arrival, by time,
 * with two constraints that override the clock: numbers increase within a chain, and a branch begins after
 * the thought it forks from. Yields `undefined` during preparation, so that other work can run.
 */
export function* orderArrivals(
  chains: readonly PlainChain[],
  sessionStart: string,
): Generator<PlainThought | undefined> {
  const known = new Set<string>();
  for (const { thoughts } of chains)
    for (const { address } of thoughts) {
      known.add(keyOf(address));
      yield undefined;
    }
  const ready = createHeap(comesBefore);
  const waiting = createHeap(comesBefore);
  const waitingFor = new Map<string, Queue[]>();
  const begun = new Set<Queue>();

  function begin(queue: Queue): void {
    if (begun.has(queue)) return;
    begun.add(queue);
    ready.push(queue);
  }

  for (const [place, chain] of chains.entries()) {
    yield undefined;
    if (chain.thoughts.length === 0) continue;
    const queue = { ...chain, place, next: 0, time: sessionStart };
    const key = queue.fork && keyOf(queue.fork);
    if (key === undefined || !known.has(key)) begin(queue);
    else {
      waiting.push(queue);
      const others = waitingFor.get(key);
      if (others) others.push(queue);
      else waitingFor.set(key, [queue]);
    }
  }

  for (;;) {
    // Branches that fork from each other in a cycle cannot be ordered, so any of them may begin.
    const queue = ready.pop() ?? nextStuck();
    if (!queue) return;
    begun.add(queue);
    const thought = queue.thoughts[queue.next];
    if (!thought) continue;
    queue.time = timeOfNext(queue);
    queue.next += 1;
    yield { ...thought, timestamp: queue.time };
    if (queue.next < queue.thoughts.length) ready.push(queue);
    const key = keyOf(thought.address);
    for (const branch of waitingFor.get(key) ?? []) begin(branch);
    waitingFor.delete(key);
  }

  function nextStuck(): Queue | undefined {
    for (let queue = waiting.pop(); queue; queue = waiting.pop()) if (!begun.has(queue)) return queue;
    return undefined;
  }
}

/** Returns the time of the next thought, or if it has no time, of the previous thought in its chain. */
const timeOfNext = ({ thoughts, next, time }: Queue): string => thoughts[next]?.timestamp ?? time;

function comesBefore(one: Queue, other: Queue): boolean {
  const [a, b] = [timeOfNext(one), timeOfNext(other)];
  return a === b ? one.place < other.place : a < b;
}

export const keyOf = ({ branchId, thoughtNumber }: Address): string => `${branchId ?? ""}:${thoughtNumber}`;

/** Creates a priority queue. */
function createHeap<Item>(comesBefore: (one: Item, other: Item) => boolean) {
  const items: Item[] = [];

  const isBefore = (one: number, other: number): boolean =>
    comesBefore(items[one] as Item, items[other] as Item);

  function swap(one: number, other: number): void {
    [items[one], items[other]] = [items[other] as Item, items[one] as Item];
  }

  function sink(): void {
    for (let at = 0; ; ) {
      let first = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < items.length && isBefore(child, first)) first = child;
      if (first === at) return;
      swap(at, first);
      at = first;
    }
  }

  return {
    push(item: Item): void {
      items.push(item);
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!isBefore(at, parent)) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop(): Item | undefined {
      const [first] = items;
      const last = items.pop();
      if (items.length > 0 && last !== undefined) {
        items[0] = last;
        sink();
      }
      return first;
    },
  };
}
