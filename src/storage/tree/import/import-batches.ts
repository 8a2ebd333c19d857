import type { LedgerImport, PartOutcome, SessionPart } from "../../../ports/ledger-import.ts";

/** Rows of one transaction: a fraction of a second during which other writers wait. */
const rowsAtOnce = 2_000;

/** Fills transactions evenly from short and long sessions, and tells one outcome for each session. */
export function createImportBatches(store: LedgerImport, tell: (outcome: PartOutcome) => void) {
  let waiting: { part: SessionPart; isLast: boolean }[] = [];
  let rows = 0;
  const begun = new Map<string, PartOutcome>();
  const refused = new Set<string>();

  async function send(): Promise<void> {
    const batch = waiting;
    waiting = [];
    rows = 0;
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

  return {
    async add({ record, entries, critiques }: SessionPart): Promise<void> {
      let start = 0;
      do {
        const slice = entries.slice(start, start + rowsAtOnce - rows);
        start += slice.length;
        const isLast = start >= entries.length;
        waiting.push({ part: { record, entries: slice, critiques: isLast ? critiques : [] }, isLast });
        rows += slice.length + (isLast ? critiques.length : 0) + 1;
        if (rows >= rowsAtOnce) await send();
        // What follows a part that was refused would hang in the air.
      } while (start < entries.length && !refused.has(record.session.id));
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
