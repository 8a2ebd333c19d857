import type { Steps } from "../../../kernel/steps.ts";
import type { Address } from "../address.ts";
import { keyOf, type PlainChain } from "./arrivals.ts";

/**
 * In a branch a number means the branch's own thought, else that of the nearest ancestor that has it, else the main
 * chain's. Goes once through the tree of branches and keeps, for each number, who has it on the way down.
 */
export function* resolveRevisions(chains: readonly PlainChain[]): Steps<ReadonlyMap<string, Address>> {
  const children = new Map<string, PlainChain[]>();
  for (const chain of chains) {
    if (chain.branchId === undefined) continue;
    const parent = chain.fork?.branchId ?? "";
    const siblings = children.get(parent);
    if (siblings) siblings.push(chain);
    else children.set(parent, [chain]);
  }

  const resolved = new Map<string, Address>();
  const holders = new Map<number, string[]>();

  function* enter(chain: PlainChain, branchId: string): Steps<void> {
    for (const { address } of chain.thoughts) {
      const stack = holders.get(address.thoughtNumber);
      if (stack) stack.push(branchId);
      else holders.set(address.thoughtNumber, [branchId]);
      yield;
    }
    for (const { address, revisesThought } of chain.thoughts) {
      yield;
      if (revisesThought === undefined) continue;
      const holder = holders.get(revisesThought)?.at(-1);
      resolved.set(keyOf(address), {
        ...(holder !== undefined && { branchId: holder }),
        thoughtNumber: revisesThought,
      });
    }
  }

  for (const { branchId, thoughts } of chains)
    if (branchId === undefined)
      for (const { address, revisesThought } of thoughts) {
        if (revisesThought !== undefined) resolved.set(keyOf(address), { thoughtNumber: revisesThought });
        yield;
      }

  const way: { chain: PlainChain; entered: boolean }[] = (children.get("") ?? []).map((chain) => ({
    chain,
    entered: false,
  }));
  for (let step = way.at(-1); step; step = way.at(-1)) {
    const { chain, entered } = step;
    const branchId = chain.branchId ?? "";
    if (entered) {
      for (const { address } of chain.thoughts) {
        holders.get(address.thoughtNumber)?.pop();
        yield;
      }
      way.pop();
      continue;
    }
    step.entered = true;
    yield* enter(chain, branchId);
    for (const child of children.get(branchId) ?? []) way.push({ chain: child, entered: false });
  }
  return resolved;
}
