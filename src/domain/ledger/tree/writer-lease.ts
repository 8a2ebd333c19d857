type Lease = { holder: string; until: number };
type Claim = { holder: string; now: number; lastsMs: number };

/**
 * True if this process may take the lease. A lease belongs to one process until it expires. A lease that ends
 * too far in the future was granted before the clock was set back, so it is ignored.
 */
export function mayTake(lease: Lease | undefined, { holder, now, lastsMs }: Claim): boolean {
  if (!lease || lease.holder === holder) return true;
  return lease.until <= now || lease.until > now + lastsMs;
}

export type WriterDecision =
  | {
      granted: true;
      /** Whether the writer continues at the projected mark or at the durable mark. */
      from: "projected" | "durable";
      /** True if the previous writer did not release its lease. */
      abandoned: boolean;
    }
  | { granted: false; heldUntil: number };

/**
 * Decides which process writes the JSON files. A restart of the machine ends every lease. Files that were not yet
 * durable may then be lost, so the writer continues at the durable mark.
 */
export function decideWriter(
  lease: (Lease & { boot: string }) | undefined,
  claim: Claim & { boot: string },
): WriterDecision {
  const restarted = lease !== undefined && lease.boot !== claim.boot;
  if (lease && !restarted && !mayTake(lease, claim)) return { granted: false, heldUntil: lease.until };
  const abandoned = lease !== undefined && lease.holder !== claim.holder && lease.until > 0;
  return { granted: true, from: restarted ? "durable" : "projected", abandoned };
}
