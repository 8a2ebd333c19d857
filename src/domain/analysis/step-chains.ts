import type { CipherStep } from "../cipher/notation.ts";
import { type Address, addressOf } from "../ledger/address.ts";
import type { Thought } from "../ledger/thought.ts";

/** A thought as far as its chain is concerned. */
export type PlacedThought = Pick<
  Thought,
  "branchId" | "thoughtNumber" | "branchFromThought" | "branchFromBranch"
>;

/** The thought that a number in the notation means; without `step` it is meant as a whole. */
export type FoundStep = { to: Address; step?: number };

type Chain = { fork: Address | undefined; steps: Map<number, Address>; numbers: Set<number> };

/** Chains that a reference is followed through; a circle that files claim ends here too. */
const maxForks = 16;

/** Where the steps of a session stand, as far as it has been read. */
export function createStepChains() {
  const chains = new Map<string | undefined, Chain>();
  return {
    /** The first thought of a chain says where it forks, so that it can refer to what is before the fork itself. */
    open({ branchId, branchFromThought, branchFromBranch }: PlacedThought): void {
      if (chains.has(branchId)) return;
      const fork =
        branchFromThought === undefined
          ? undefined
          : { branchId: branchFromBranch, thoughtNumber: branchFromThought };
      chains.set(branchId, { fork, steps: new Map(), numbers: new Set() });
    },
    add(data: PlacedThought, steps: readonly Pick<CipherStep, "number">[]): void {
      const chain = chains.get(data.branchId);
      chain?.numbers.add(data.thoughtNumber);
      for (const { number } of steps) chain?.steps.set(number, addressOf(data));
    },
    /** The step of this number, else the thought of this number; in this chain, else before it forked. */
    find(branchId: string | undefined, number: number): FoundStep | undefined {
      let limit = Number.POSITIVE_INFINITY;
      let at = branchId;
      for (let forks = 0; forks <= maxForks; forks += 1) {
        const chain = chains.get(at);
        if (!chain) return undefined;
        const step = chain.steps.get(number);
        if (step && step.thoughtNumber <= limit) return { to: step, step: number };
        if (number <= limit && chain.numbers.has(number))
          return { to: addressOf({ branchId: at, thoughtNumber: number }) };
        if (!chain.fork) return undefined;
        limit = chain.fork.thoughtNumber;
        at = chain.fork.branchId;
      }
      return undefined;
    },
  };
}
