import type { Address } from "../address.ts";

/**
 * One branch of each circle in which branches, followed from fork to fork, lead back to themselves. The ledger never
 * records such a thing, but files can claim it, and whoever then followed the forks would never arrive. A branch has one
 * fork, so circles do not touch, and to open one opens no other. Between two branches it yields nothing, so that others
 * can have their turn.
 */
export function* findForkCycles(forks: ReadonlyMap<string, Address>): Generator<string | undefined> {
  const arriving = new Set<string>();
  for (const start of forks.keys()) {
    yield undefined;
    const way = new Set<string>();
    let branchId: string | undefined = start;
    while (branchId !== undefined && !arriving.has(branchId)) {
      if (way.has(branchId)) {
        yield branchId;
        break;
      }
      way.add(branchId);
      branchId = forks.get(branchId)?.branchId;
    }
    for (const passed of way) arriving.add(passed);
  }
}

/** The first of them; `undefined` where there is none. */
export function findForkCycle(forks: ReadonlyMap<string, Address>): string | undefined {
  for (const circle of findForkCycles(forks)) if (circle !== undefined) return circle;
  return undefined;
}
