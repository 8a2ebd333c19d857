import { appendFileSync } from "node:fs";

/** Returns how many times to repeat something: `inGate` in `npm test`, or `SOAK_…` in `npm run soak`. */
export function times(what: string, inGate: number): number {
  const asked = process.env[`SOAK_${what.toUpperCase().replaceAll(" ", "_")}`];
  return asked === undefined ? inGate : Number(asked);
}

/** `npm test` repeats the same cases. The soak picks others and prints the number that repeats them. */
export const gateSeed = times("seed", 1_729);

/** Returns the timeout for a count: this many milliseconds for each, and a minute for the start and end. */
export const enoughTime = (count: number, eachMs: number): number => 60_000 + count * eachMs;

/** Reports results to the soak for its table. Does nothing in `npm test`. */
export function reportSoak(what: string, done: string): void {
  const path = process.env["SOAK_REPORT"];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify({ what, done })}\n`);
}
