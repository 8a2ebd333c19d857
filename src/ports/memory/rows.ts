import type { Need, Writes } from "../../domain/memory/steps/rows.ts";

/**
 * What a store does for decisions, inside a transaction `Tx`; the domain decides everything else. Both take any number of
 * rows and need a handful of statements for them.
 */
export interface MemoryRows<Tx> {
  /** For each need what was found, in the order of its keys. */
  loadFacts(tx: Tx, needs: readonly Need[]): readonly (readonly unknown[])[];
  applyWrites(tx: Tx, writes: Writes): void;
}
