import type { Samples } from "./samples.ts";

/** One turn of a candidate. Returns its measurements. */
type Turn = () => Promise<readonly number[]>;

/**
 * Gives every candidate one turn per round. The order is reversed each round, so that no candidate always
 * runs second.
 */
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
