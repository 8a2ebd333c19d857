import type { NoteMergeOutcome, ThoughtMerge } from "../../../../domain/memory/steps/outcomes.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import { findDoc, loadLineage, type Place, requireBranch } from "../places.ts";
import { insertEntry } from "./entries.ts";

/** Those of the sources that the branch shows a copy of, made by whichever merge, in whichever store. */
export function heldSources(
  place: Place,
  { bid }: BranchRow,
  doc: number | undefined,
  sources: readonly string[],
): Set<string> {
  const held = new Set<string>();
  if (doc === undefined || sources.length === 0) return held;
  const asked = JSON.stringify(sources);
  for (const { branch, upTo } of loadLineage(place, bid)) {
    const rows = place.connection
      .sql(
        `SELECT e.source_event_id AS source FROM json_each(?) s
         CROSS JOIN memory_entries e INDEXED BY memory_entries_by_source
           ON e.doc = ? AND e.bid = ? AND e.source_event_id = s.value WHERE e.seq <= ?`,
      )
      .all(asked, doc, branch, upTo);
    for (const { source } of rows) held.add(String(source));
  }
  return held;
}

/** Call inside a write. The copies stand on their own: they stay when the session goes. */
export function mergeThoughts(place: Place, merge: ThoughtMerge, at: Date): NoteMergeOutcome {
  const { doc, thoughts, skipped, lastSeq, hasMore } = merge;
  const into = requireBranch(place, merge.into);
  const sources = thoughts.map(({ source }) => source);
  const held = heldSources(place, into, findDoc(place, doc), sources);
  const fresh = thoughts.filter(({ source }) => !held.has(source));
  for (const { source, seq, entry } of fresh)
    insertEntry(place, into, doc, entry, at, { seq, event: source });
  return {
    merged: fresh.length,
    skipped: skipped + thoughts.length - fresh.length,
    lastSeq,
    hasMore,
  };
}
