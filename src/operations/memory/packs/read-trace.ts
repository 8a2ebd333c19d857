import type { Entry } from "../../../domain/memory/entry.ts";
import { belongsToStep, isDraftEntry } from "../../../domain/memory/views/step-scope.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { readDocument } from "../ledger-view.ts";
import type { ViewScope } from "./load-slice.ts";

const maxPages = 5;
const pageSize = 200;

/** The newest entries of a document that the view shows; older pages are looked at until there are enough of them. */
export async function readShown(
  memory: MemoryContext<"UNKNOWN_ID">,
  { place, drafts, step }: ViewScope,
  doc: string,
  limit: number,
): Promise<{ entries: Entry[]; hasMore: boolean }> {
  const shown: Entry[] = [];
  if (limit === 0) return { entries: [], hasMore: false };
  let before: number | undefined;
  for (let page = 0; page < maxPages; page++) {
    const size = page === 0 ? Math.min(limit + 1, pageSize) : pageSize;
    const { entries, hasMore } = await readDocument(memory, { branch: place.branch, doc }, before, size);
    shown.unshift(
      ...entries.filter((entry) => (drafts || !isDraftEntry(entry)) && (!step || belongsToStep(entry, step))),
    );
    if (shown.length > limit) return { entries: shown.slice(-limit), hasMore: true };
    if (!hasMore) return { entries: shown, hasMore: false };
    before = entries[0]?.seq;
  }
  return { entries: shown.slice(-limit), hasMore: true };
}
