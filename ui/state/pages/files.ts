import type { FileReasons, ReasonsAnswer } from "../../../src/observatory/wire-files.ts";
import type { Fetched, Get } from "../http.ts";

export type Reasons = FileReasons;
export type Pinned = NonNullable<ReasonsAnswer["pinned"]>[number];

export const readReasons = (
  get: Get,
  query: { file: string; at: string | undefined; line: number; to: number },
  abort: AbortSignal,
): Promise<Fetched<ReasonsAnswer>> => get<ReasonsAnswer>("/api/why", query, abort);

type NamedThought = { session: string; branch: string | undefined; number: number };

/** Shortens a full hash. Any other name of a commit, such as `main~3`, stays as it is. */
export const shortCommit = (name: string): string =>
  /^[0-9a-f]{40,64}$/.test(name) ? name.slice(0, 7) : name;

/** Parses `session:3` or `session:branch:3`. */
export function nameOf(id: string): NamedThought | undefined {
  const [session = "", ...rest] = id.split(":");
  const number = Number(rest.at(-1));
  if (session === "" || !Number.isInteger(number)) return undefined;
  return { session, branch: rest.length > 1 ? rest.slice(0, -1).join(":") : undefined, number };
}
