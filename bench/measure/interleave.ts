import type { Samples } from "./samples.ts";

/** One turn of a candidate: what it measured in that turn. */
type Turn = () => Promise<readonly number[]>;

/** Every candidate has a turn in every round; the order is turned around each time, so that none always follows. */
export async function interleave<Name extends string>(
  rounds: number,
  candidates: Record<Name, Turn>,
): Promise<Record<Name, Samples>> {
  const names = Object.keys(candidates) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as (readonly number[])[]])) as Record<
    Name,
    (readonly number[])[]
  >;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      measured[name].push(await candidates[name]());
    }
  }
  return measured;
}
