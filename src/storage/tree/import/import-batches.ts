import { importedAtOnce } from "../../../domain/ledger/limits.ts";
import type { LedgerImport, PartOutcome, SessionPart } from "../../../ports/ledger-import.ts";

/** Fills transactions evenly from short and long sessions, and tells one outcome for each session. */
export function createImportBatches(store: LedgerImport, tell: (outcome: PartOutcome) => void) {
  let waiting: { part: SessionPart; isLast: boolean }[] = [];
  let rows = 0;
  let characters = 0;
  const hasRoom = (): boolean => rows < importedAtOnce.rows && characters < importedAtOnce.characters;
  const begun = new Map<string, PartOutcome>();
  const refused = new Set<string>();

  async function send(): Promise<void> {
    const batch = waiting;
    waiting = [];
    rows = 0;
    characters = 0;
    const outcomes = await store.importParts(batch.map(({ part }) => part));
    for (const [index, outcome] of outcomes.entries()) {
      const { sessionId } = outcome;
      const sum = merge(begun.get(sessionId), outcome);
      if (outcome.refused !== undefined) refused.add(sessionId);
      if (batch[index]?.isLast || outcome.refused !== undefined) {
        begun.delete(sessionId);
        tell(sum);
      } else begun.set(sessionId, sum);
    }
  }

  /** As many rows as there is room for in this transaction, and one at least. */
  function take<Row>(list: readonly Row[], start: number, textOf: (row: Row) => string): Row[] {
    const slice: Row[] = [];
    while (start + slice.length < list.length && (slice.length === 0 || hasRoom())) {
      const row = list[start + slice.length] as Row;
      slice.push(row);
      rows += 1;
      characters += textOf(row).length;
    }
    return slice;
  }

  return {
    /** What was sent before it is stopped is a whole beginning of the session. */
    async add({ record, entries, critiques }: SessionPart, signal?: AbortSignal): Promise<void> {
      let [start, criticised] = [0, 0];
      do {
        signal?.throwIfAborted();
        rows += 1;
        const slice = take(entries, start, ({ data }) => data.thought);
        start += slice.length;
        const spoken = start < entries.length ? [] : take(critiques, criticised, ({ text }) => text);
        criticised += spoken.length;
        const isLast = start >= entries.length && criticised >= critiques.length;
        waiting.push({ part: { record, entries: slice, critiques: spoken, keepsGaps: true }, isLast });
        if (!hasRoom()) await send();
        // What follows a part that was refused would hang in the air.
      } while ((start < entries.length || criticised < critiques.length) && !refused.has(record.session.id));
    },
    finish: (): Promise<void> => (waiting.length > 0 ? send() : Promise.resolve()),
  };
}

function merge(earlier: PartOutcome | undefined, outcome: PartOutcome): PartOutcome {
  if (!earlier) return outcome;
  return {
    ...outcome,
    ...earlier,
    added: earlier.added + outcome.added,
    critiques: earlier.critiques + outcome.critiques,
    created: earlier.created || outcome.created,
  };
}
