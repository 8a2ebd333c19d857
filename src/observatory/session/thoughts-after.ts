import type { ChainedThought } from "../../domain/ledger/thought.ts";
import { createTurns } from "../../kernel/steps.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";

const readAtOnce = 64;

/**
 * The thoughts of a session after a position, in order of arrival. A thought may be a mebibyte, and whoever looks
 * through its text takes a while: few are held at a time, and others get their turn between two.
 */
export async function* thoughtsAfter(
  ledger: Pick<LedgerStore, "readStride">,
  sessionId: string,
  after: number,
): AsyncGenerator<ChainedThought, void> {
  const turn = createTurns();
  for (let position = after; ; ) {
    const { entries, isLast } = await ledger.readStride(sessionId, position, readAtOnce);
    for (const entry of entries) {
      position = entry.position;
      yield entry;
      await turn();
    }
    if (isLast) return;
  }
}
