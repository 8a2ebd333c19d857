import type { Bench } from "../row.ts";
import { sessionIdOf } from "./fill-store.ts";

/** Forty sessions of another project, older than all the others of the library. */
const corner = { sessions: 40, thoughts: 20, project: "corner" };

/** Many sessions, to read from: 10,000 with a million thoughts. */
export async function openLibrary(bench: Bench) {
  const shelf = bench.quick ? { sessions: 1_000, thoughts: 20 } : { sessions: 10_000, thoughts: 100 };
  return { ...shelf, corner, path: await bench.stores.filled("library", [corner, shelf]) };
}

export const librarySession = (n: number): string => sessionIdOf(1, n);

/** Session lengths, and how many sessions have each: short ones are longer after every call, so there are more. */
const lengths = [
  { n: 1, sessions: 2_000 },
  { n: 100, sessions: 100 },
  { n: 5_000, sessions: 4 },
  { n: 100_000, sessions: 1 },
] as const;

export type Length = (typeof lengths)[number]["n"];

/** Sessions of given lengths, for writing: a copy of one's own. */
export async function copyLengths(bench: Bench): Promise<string> {
  const shelves = lengths.map(({ n, sessions }) => ({ sessions, thoughts: n }));
  return bench.stores.copyOf(await bench.stores.filled("lengths", shelves));
}

/** The ids of all sessions of a length, round and round. */
export function* sessionsOf(length: Length): Generator<string, never> {
  const shelf = lengths.findIndex(({ n }) => n === length);
  const sessions = lengths[shelf]?.sessions ?? 1;
  for (let n = 0; ; n = (n + 1) % sessions) yield sessionIdOf(shelf, n);
}
