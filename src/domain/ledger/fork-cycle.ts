import type { Address } from "./address.ts";

/**
 * A branch that, followed from fork to fork, leads back to itself; `undefined` where there is none. The ledger never
 * records such a thing, but files can claim it, and whoever then followed the forks would never arrive.
 */
export function findForkCycle(forks: ReadonlyMap<string, Address>): string | undefined {
  const arriving = new Set<string>();
  for (const start of forks.keys()) {
    const way = new Set<string>();
    let branchId: string | undefined = start;
    while (branchId !== undefined && !arriving.has(branchId)) {
      if (way.has(branchId)) return branchId;
      way.add(branchId);
      branchId = forks.get(branchId)?.branchId;
    }
    for (const passed of way) arriving.add(passed);
  }
  return undefined;
}
