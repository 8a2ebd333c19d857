import type { Address } from "../address.ts";
import type { PlainThought } from "./plain-thought.ts";

/** The thoughts of one chain, ordered by number. `fork` is where a branch leaves its parent. */
export type PlainChain = { branchId: string | undefined; fork?: Address; thoughts: readonly PlainThought[] };

/**
 * Earlier versions did not record in which order thoughts arrived. They are taken by time, with two things
 * that no clock may overrule: numbers rise within a chain, and a branch begins after the thought it leaves.
 */
export function orderArrivals(chains: readonly PlainChain[], sessionStart: string): PlainThought[] {
  const queues = chains.map((chain) => ({ ...chain, next: 0, time: sessionStart }));
  const known = new Set(chains.flatMap(({ thoughts }) => thoughts.map(({ address }) => keyOf(address))));
  const arrived = new Set<string>();
  const ordered: PlainThought[] = [];
  for (;;) {
    const open = queues.filter(({ next, thoughts }) => next < thoughts.length);
    if (open.length === 0) return ordered;
    const ready = open.filter(
      ({ next, fork }) => next > 0 || !fork || !known.has(keyOf(fork)) || arrived.has(keyOf(fork)),
    );
    // Branches that leave each other in a circle cannot be ordered; any of them may then begin.
    const queue = (ready.length > 0 ? ready : open).reduce((first, other) =>
      timeOfNext(other) < timeOfNext(first) ? other : first,
    );
    const thought = queue.thoughts[queue.next];
    if (!thought) return ordered;
    queue.time = timeOfNext(queue);
    queue.next += 1;
    arrived.add(keyOf(thought.address));
    ordered.push({ ...thought, timestamp: queue.time });
  }
}

type Queue = PlainChain & { next: number; time: string };

/** A thought without a time of its own came right after the one before it. */
const timeOfNext = ({ thoughts, next, time }: Queue): string => thoughts[next]?.timestamp ?? time;

export const keyOf = ({ branchId, thoughtNumber }: Address): string => `${branchId ?? ""}:${thoughtNumber}`;
