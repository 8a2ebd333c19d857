import type { ChainedThought } from "../../domain/ledger/thought.ts";
import { createTurns } from "../../kernel/steps.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { createSessionColumns, type SessionColumns } from "./session-columns.ts";
import type { Mask } from "./to-wire.ts";

/**
 * The most thoughts kept in RAM for all sessions together, at a few hundred bytes each. The least recently used
 * sessions are evicted.
 */
const maxThoughts = 300_000;

const readAtOnce = 64;

/**
 * Reads a session's thoughts after a position, in order of arrival. A thought may be up to a mebibyte long
 * and takes time to process, so few are kept at a time, and other work runs in between.
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

/** Keeps the columns of viewed sessions. Brings them up to date at each call. */
export function createSessionShelf(ledger: Pick<LedgerStore, "readStride">, mask: Mask) {
  const shelf = new Map<string, { columns: SessionColumns; reading: Promise<void> }>();

  async function catchUp(columns: SessionColumns): Promise<void> {
    for await (const entry of thoughtsAfter(ledger, columns.sessionId, columns.size)) columns.add(entry);
  }

  function makeRoom(): void {
    let kept = [...shelf.values()].reduce((sum, { columns }) => sum + columns.size, 0);
    for (const [id, { columns }] of shelf) {
      if (kept <= maxThoughts || shelf.size === 1) return;
      shelf.delete(id);
      kept -= columns.size;
    }
  }

  return {
    has: (sessionId: string): boolean => shelf.has(sessionId),
    async take(sessionId: string): Promise<SessionColumns> {
      const known = shelf.get(sessionId) ?? {
        columns: createSessionColumns(sessionId, mask),
        reading: Promise.resolve(),
      };
      shelf.delete(sessionId);
      shelf.set(sessionId, known);
      const reading = known.reading.catch(() => {}).then(() => catchUp(known.columns));
      known.reading = reading;
      await reading;
      makeRoom();
      return known.columns;
    },
    forget: (sessionId: string): void => void shelf.delete(sessionId),
  };
}

export type SessionShelf = ReturnType<typeof createSessionShelf>;
