import { toFailure } from "../failure.ts";
import type { Mark } from "../rendering/statement.ts";

export type Check = {
  name: string;
  /** In order, worth a look, to fix, or not here to be checked. */
  state: Mark;
  says: string;
  /** What to do about it. */
  next?: string;
};

export function good(name: string, says: string): Check {
  return { name, state: "good", says };
}

/** The sentence of what was thrown, as a finding. A bug is not a finding: it goes on. */
export function badBecause(name: string, thrown: unknown): Check {
  const failure = toFailure(thrown);
  if (!failure) throw thrown;
  return { name, state: "bad", says: failure.message, ...(failure.next && { next: failure.next }) };
}
