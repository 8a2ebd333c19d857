import type { Address } from "../ledger/address.ts";
import type { ChainedThought } from "../ledger/thought.ts";
import { type CipherGraph, cipherGraphOf } from "./cipher-graph.ts";

/** One chain of a session: the main chain, or a branch with the thought it forks from. */
export type ChainShape = {
  branchId: string | undefined;
  fork: Address | undefined;
  /** Ascending. */
  numbers: number[];
  firstPosition: number;
  lastPosition: number;
};

/** What every figure is computed from; thoughts in the order they arrived. */
export type SessionShape = {
  thoughts: readonly ChainedThought[];
  /** By branch id; the main chain is under `undefined`. */
  chains: ReadonlyMap<string | undefined, ChainShape>;
  graph: CipherGraph;
};

export function shapeOf(thoughts: readonly ChainedThought[]): SessionShape {
  const chains = new Map<string | undefined, ChainShape>();
  for (const { position, data } of thoughts) {
    const known = chains.get(data.branchId);
    if (known) {
      known.numbers.push(data.thoughtNumber);
      known.lastPosition = position;
      continue;
    }
    const fork: Address | undefined =
      data.branchFromThought === undefined
        ? undefined
        : { branchId: data.branchFromBranch, thoughtNumber: data.branchFromThought };
    chains.set(data.branchId, {
      branchId: data.branchId,
      fork,
      numbers: [data.thoughtNumber],
      firstPosition: position,
      lastPosition: position,
    });
  }
  for (const { numbers } of chains.values()) numbers.sort((a, b) => a - b);
  return { thoughts, chains, graph: cipherGraphOf(thoughts) };
}

export const branchesOf = ({ chains }: SessionShape): ChainShape[] =>
  [...chains.values()].filter(({ branchId }) => branchId !== undefined);

/** Thoughts that correct another, by the field or by `^` in the notation. */
export const revisionsOf = ({ thoughts, graph }: SessionShape): ChainedThought[] =>
  thoughts.filter(
    ({ data }) => data.isRevision || graph.edgesFrom(data).some(({ relation }) => relation === "revises"),
  );

export const mainChainOf = ({ thoughts }: SessionShape): ChainedThought[] =>
  thoughts.filter(({ data }) => data.branchId === undefined);

/** Milliseconds from the first to the last thought; a clock that ran backwards counts as no time. */
export function durationOf({ thoughts }: SessionShape): number {
  const [first, last] = [thoughts[0], thoughts.at(-1)];
  if (!first || !last) return 0;
  return Math.max(0, Date.parse(last.data.timestamp) - Date.parse(first.data.timestamp));
}
