import { type Address, nodeId } from "../address.ts";
import type { ThoughtDraft } from "./append.ts";

/** What the rules must know of a session to place one thought; loaded inside the transaction that appends. */
export type ChainFacts = {
  /** Highest number of the main chain; 0 while it is empty. */
  highest: number;
  branches: ReadonlyMap<string, BranchFacts>;
  /** Those of the thoughts in question that are there, by `addressKey`. */
  there: ReadonlySet<string>;
  /** All branches of the session; `undefined` until the rules need them. */
  branchIds?: readonly string[] | undefined;
};

export type BranchFacts = { fork: Address | undefined; highest: number };

/** Which facts a store loads for a draft, in bulk. */
export type FactsNeeded = {
  branches: readonly string[];
  /** Whether the branches that these forked from are needed too. */
  withAncestors: boolean;
  /** Numbers to look for, in the main chain and in all those branches. */
  numbers: readonly number[];
};

export function factsNeeded(draft: ThoughtDraft): FactsNeeded {
  const { branchId, branchFromBranch, thoughtNumber, branchFromThought, revisesThought, ownBranch } = draft;
  const isGiven = <Value>(value: Value | undefined): value is Value => value !== undefined;
  return {
    branches: [...new Set([branchId ?? ownBranch, branchFromBranch].filter(isGiven))],
    withAncestors: revisesThought !== undefined,
    numbers: [...new Set([thoughtNumber, branchFromThought, revisesThought].filter(isGiven))],
  };
}

export const addressKey = (address: Address): string => nodeId("", address);
