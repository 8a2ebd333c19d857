import { toFailure } from "../failure.ts";

/** `good`, worth a `look`, `bad`, or `none`: nothing there to check. */
export type CheckState = "good" | "look" | "bad" | "none";

export type Check = {
  name: string;
  state: CheckState;
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
