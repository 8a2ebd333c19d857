import { expect, test } from "vitest";
import fc from "../../../../tests/support/fast-check.ts";
import { keyOf, orderArrivals, type PlainChain } from "./arrivals.ts";
import type { PlainThought } from "./plain-thought.ts";

const start = "2026-11-15T12:00:00.000Z";
const minute = (n: number) => new Date(Date.UTC(2026, 10, 15, 12, n)).toISOString();

/** Orders thoughts naively: always takes the oldest next thought of the chains that may continue. */
function orderSlowly(chains: readonly PlainChain[]): string[] {
  const queues = chains.map((chain) => ({ ...chain, next: 0, time: start }));
  const timeOf = ({ thoughts, next, time }: (typeof queues)[number]) => thoughts[next]?.timestamp ?? time;
  const known = new Set(chains.flatMap(({ thoughts }) => thoughts.map(({ address }) => keyOf(address))));
  const arrived: string[] = [];
  for (;;) {
    const open = queues.filter(({ next, thoughts }) => next < thoughts.length);
    const ready = open.filter(
      ({ next, fork }) => next > 0 || !fork || !known.has(keyOf(fork)) || arrived.includes(keyOf(fork)),
    );
    const [first, ...others] = ready.length > 0 ? ready : open;
    if (!first) return arrived;
    const queue = others.reduce((best, other) => (timeOf(other) < timeOf(best) ? other : best), first);
    queue.time = timeOf(queue);
    const thought = queue.thoughts[queue.next];
    queue.next += 1;
    if (thought) arrived.push(keyOf(thought.address));
  }
}

const names = ["", "a", "b", "c", "d"];
const chainsOf = fc.array(
  fc.record({
    times: fc.array(fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }), { maxLength: 4 }),
    from: fc.constantFrom(...names, "nowhere"),
    at: fc.integer({ min: 1, max: 4 }),
  }),
  { minLength: 1, maxLength: names.length },
);

test("orders any chains by the rule, even if their forks are circular", () => {
  fc.assert(
    fc.property(chainsOf, (drawn) => {
      const chains = drawn.map(({ times, from, at }, n): PlainChain => {
        const branchId = names[n] || undefined;
        const thoughts = times.map(
          (time, index) =>
            ({
              address: { branchId, thoughtNumber: index + 1 },
              ...(time !== undefined && { timestamp: minute(time) }),
            }) as PlainThought,
        );
        const fork = { ...(from !== "" && { branchId: from }), thoughtNumber: at };
        return { branchId, thoughts, ...(branchId !== undefined && { fork }) };
      });
      expect(
        [...orderArrivals(chains, start)].flatMap((arrival) => (arrival ? [keyOf(arrival.address)] : [])),
      ).toEqual(orderSlowly(chains));
    }),
    { numRuns: 500, seed: 20_261_115 },
  );
});
