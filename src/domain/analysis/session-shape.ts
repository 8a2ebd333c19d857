import type { Steps } from "../../kernel/steps.ts";
import type { Address, ChainedThought } from "../ledger/thought.ts";
import { type CipherGraph, cipherGraphInSteps, type TypedEdge } from "./cipher-graph.ts";

/** One chain of a session: the main chain, or a branch with the thought it forks from. */
export type ChainShape = {
  branchId: string | undefined;
  fork: Address | undefined;
  /** Ascending. */
  numbers: number[];
  firstPosition: number;
  lastPosition: number;
};

/** The data from which all figures are computed. Thoughts are in order of arrival. */
export type SessionShape = {
  thoughts: readonly ChainedThought[];
  /** Keyed by branch ID. The key of the main chain is `undefined`. */
  chains: ReadonlyMap<string | undefined, ChainShape>;
  graph: CipherGraph;
  /** Thoughts that correct another thought, with `isRevision` or with `^` in the notation. */
  revisions: readonly ChainedThought[];
  rejected: readonly ChainedThought[];
};

export function* shapeInSteps(thoughts: readonly ChainedThought[]): Steps<SessionShape> {
  const chains = new Map<string | undefined, ChainShape>();
  for (const { position, data } of thoughts) {
    yield;
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
  const graph = yield* cipherGraphInSteps(thoughts);
  const revisions: ChainedThought[] = [];
  const rejected: ChainedThought[] = [];
  for (const entry of thoughts) {
    const isRevision = ({ relation }: TypedEdge): boolean => relation === "revises";
    if (entry.data.isRevision || graph.edgesFrom(entry.data).some(isRevision)) revisions.push(entry);
    if (graph.isRejected(entry.data)) rejected.push(entry);
    yield;
  }
  return { thoughts, chains, graph, revisions, rejected };
}

export const branchesOf = ({ chains }: SessionShape): ChainShape[] =>
  [...chains.values()].filter(({ branchId }) => branchId !== undefined);

export const mainChainOf = ({ thoughts }: SessionShape): ChainedThought[] =>
  thoughts.filter(({ data }) => data.branchId === undefined);

/** Returns the milliseconds from the first to the last thought, or 0 if the clock ran backwards. */
export function durationOf({ thoughts }: SessionShape): number {
  const [first, last] = [thoughts[0], thoughts.at(-1)];
  if (!first || !last) return 0;
  return Math.max(0, Date.parse(last.data.timestamp) - Date.parse(first.data.timestamp));
}
