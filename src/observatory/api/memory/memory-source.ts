import type { Ask } from "../ask.ts";

/** `workspace` is the one of calls that name none. */
export type MemorySource = { ask: Ask; workspace: string; workspaces: readonly string[] };

/** As many characters as an operation gives at most. */
export const wholeAnswer = { max_chars: 75_000 };

export const plainEdge = ({ from, rel, to }: { from: string; rel: string; to: string }) => ({
  from,
  rel,
  to,
});
