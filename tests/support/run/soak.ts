import { appendFileSync } from "node:fs";

/** How often something is done: the usual number in `npm test`, or what `npm run soak` asks for by `SOAK_…`. */
export function times(what: string, inGate: number): number {
  const asked = process.env[`SOAK_${what.toUpperCase().replaceAll(" ", "_")}`];
  return asked === undefined ? inGate : Number(asked);
}

/** `npm test` repeats the same cases; the soak picks its own, and prints the number that repeats them. */
export const gateSeed = times("seed", 1_729);

/** A large number needs more time: so many milliseconds for each, and a minute for the start and the end. */
export const enoughTime = (count: number, eachMs: number): number => 60_000 + count * eachMs;

/** Tells the soak what was done, for its table; says nothing in `npm test`. */
export function reportSoak(what: string, done: string): void {
  const path = process.env["SOAK_REPORT"];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify({ what, done })}\n`);
}
