import type { Entry } from "../../../domain/memory/entry.ts";
import { belongsToStep, isDraftEntry } from "../../../domain/memory/views/step-scope.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { readDocument } from "../ledger-view.ts";
import type { ViewScope } from "./load-slice.ts";

const maxPages = 5;
const pageSize = 200;

/** `next` is where older entries go on: below the last one that was looked at, be it shown or not. */
export type ShownPage = {
  entries: Entry[];
  hasMore: boolean;
  next: number | undefined;
  /** The newest entries whether the view shows them or not: who is stuck may be stuck in drafts. */
  newest: Entry[];
};

/** The newest entries of a document that the view shows; older pages are looked at until there are enough of them. */
export async function readShown(
  memory: MemoryContext<"UNKNOWN_ID">,
  { place, drafts, step, asOfSeq }: ViewScope,
  doc: string,
  limit: number,
  cursor?: number,
): Promise<ShownPage> {
  const shown: Entry[] = [];
  if (limit === 0) return { entries: [], hasMore: false, next: undefined, newest: [] };
  let before = notAfter(asOfSeq, cursor);
  let newest: Entry[] | undefined;
  for (let page = 0; page < maxPages; page++) {
    const size = page === 0 ? Math.min(limit + 1, pageSize) : pageSize;
    const { entries, hasMore } = await readDocument(memory, { branch: place.branch, doc }, before, size);
    newest ??= entries;
    shown.unshift(
      ...entries.filter((entry) => (drafts || !isDraftEntry(entry)) && (!step || belongsToStep(entry, step))),
    );
    if (shown.length > limit) {
      const page = shown.slice(-limit);
      return { entries: page, hasMore: true, next: page[0]?.seq, newest };
    }
    if (!hasMore) return { entries: shown, hasMore: false, next: undefined, newest };
    before = entries[0]?.seq;
  }
  return { entries: shown, hasMore: true, next: before, newest: newest ?? [] };
}

/** What was written after the cards were read is not shown beside them. */
function notAfter(asOfSeq: number | undefined, cursor: number | undefined): number | undefined {
  if (asOfSeq === undefined) return cursor;
  return Math.min(asOfSeq + 1, cursor ?? Number.MAX_SAFE_INTEGER);
}
