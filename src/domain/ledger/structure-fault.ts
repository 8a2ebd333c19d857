import type { Steps } from "../../kernel/steps.ts";
import { type Address, describeAddress, nodeId } from "./address.ts";
import { findForkCycle } from "./chain/fork-cycle.ts";
import type { SealedThought } from "./tree/thought-file.ts";

/** Anybody can compute a seal, so a chain that is whole may still hang in the air. */
export function* findStructureFault(entries: readonly SealedThought[]): Steps<string | undefined> {
  const keyOf = ({ branchId, thoughtNumber }: Address) => nodeId("", { branchId, thoughtNumber });
  const known = new Set<string>();
  for (const { data } of entries) {
    known.add(keyOf(data));
    yield;
  }
  if (known.size < entries.length) return "Two of its thoughts have the same number in the same chain.";
  const forks = new Map<string, Address>();
  for (const { data } of entries) {
    yield;
    const { branchId, branchFromThought, branchFromBranch, revises } = data;
    if (revises && !known.has(keyOf(revises)))
      return `${describeAddress(data)} revises ${describeAddress(revises)}, which is missing.`;
    if (branchId === undefined || branchFromThought === undefined) continue;
    const fork = { branchId: branchFromBranch, thoughtNumber: branchFromThought };
    if (forks.has(branchId)) return `Branch ${branchId} begins twice.`;
    if (!known.has(keyOf(fork)))
      return `Branch ${branchId} forks from ${describeAddress(fork)}, which is missing.`;
    forks.set(branchId, fork);
  }
  const adrift = entries.find(({ data: { branchId } }) => branchId !== undefined && !forks.has(branchId));
  if (adrift) return `Branch ${adrift.data.branchId} does not say where it forks.`;
  const circle = findForkCycle(forks);
  return circle === undefined ? undefined : `Branch ${circle} forks from itself.`;
}
