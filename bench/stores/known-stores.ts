import type { Bench } from "../row.ts";
import { sessionIdOf } from "./fill-store.ts";

/** Forty sessions in another project, older than all others in the library. */
const corner = { sessions: 40, thoughts: 20, project: "corner" };

/** Opens a large library to read from: 10,000 sessions with a million thoughts. */
export async function openLibrary(bench: Bench) {
  const shelf = bench.quick ? { sessions: 1_000, thoughts: 20 } : { sessions: 10_000, thoughts: 100 };
  return { ...shelf, corner, path: await bench.stores.filled("library", [corner, shelf]) };
}

export const librarySession = (n: number): string => sessionIdOf(1, n);

/**
 * Session lengths in thoughts, with the number of sessions of each length. Every call makes a session longer,
 * so short lengths need more sessions.
 */
const lengths = [
  { n: 1, sessions: 2_000 },
  { n: 100, sessions: 100 },
  { n: 5_000, sessions: 4 },
  { n: 100_000, sessions: 1 },
] as const;

export type Length = (typeof lengths)[number]["n"];

/** Returns a separate copy of sessions with these lengths, to write to. */
export async function copyLengths(bench: Bench): Promise<string> {
  const shelves = lengths.map(({ n, sessions }) => ({ sessions, thoughts: n }));
  return bench.stores.copyOf(await bench.stores.filled("lengths", shelves));
}

/** Cycles through the IDs of all sessions of one length. */
export function* sessionsOf(length: Length): Generator<string, never> {
  const shelf = lengths.findIndex(({ n }) => n === length);
  const sessions = lengths[shelf]?.sessions ?? 1;
  for (let n = 0; ; n = (n + 1) % sessions) yield sessionIdOf(shelf, n);
}
