import type { Entry } from "../../../../domain/memory/entry.ts";
import { beyond, cutoffs, sees } from "../../../../domain/memory/lineage.ts";
import { chooseNotes, isThoughtSource } from "../../../../domain/memory/merge/thought-copy.ts";
import type { NoteMerge, NoteMergeOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import { decodeEntry } from "../../../rows/memory-rows.ts";
import type { Row } from "../../connection/driver.ts";
import { findDoc, loadLineage, type Place, requireBranch } from "../places.ts";
import { insertEntry, selectEntry } from "./entries.ts";

type Candidate = { entry: Entry; origin: number };

/** Notes that `from` shows and `into` does not, oldest first. */
function notesToMerge(
  place: Place,
  merge: NoteMerge,
  doc: number,
  [from, into]: readonly [BranchRow, BranchRow],
): { candidates: Candidate[]; hasMore: boolean } {
  const missing = beyond(loadLineage(place, from.bid), loadLineage(place, into.bid));
  const rows: Row[] = [];
  for (const { branch, after, upTo } of missing.toReversed()) {
    if (rows.length > merge.limit) break;
    const page = place.connection
      .sql(`${selectEntry} WHERE e.doc = ? AND e.bid = ? AND e.seq > ? AND e.seq <= ? AND e.kind = 'note'
            ORDER BY e.seq LIMIT ?`)
      .all(doc, branch, Math.max(after, merge.after), upTo, merge.limit + 1 - rows.length);
    for (const row of page) rows.push(row);
  }
  return {
    candidates: rows
      .slice(0, merge.limit)
      .map((row) => ({ entry: decodeEntry(row), origin: Number(row["origin"]) })),
    hasMore: rows.length > merge.limit,
  };
}

/** Those of the origins of which the branch shows the note itself or a copy. */
function heldOrigins(place: Place, { bid }: BranchRow, doc: number, origins: readonly number[]): Set<number> {
  const view = cutoffs(loadLineage(place, bid));
  const copies = place.connection
    .sql(
      `SELECT e.origin, e.bid, e.seq FROM json_each(?1) o
         CROSS JOIN memory_entries e ON e.seq = o.value AND e.origin = e.seq AND e.doc = ?2
       UNION ALL SELECT e.origin, e.bid, e.seq FROM json_each(?1) o
         CROSS JOIN memory_entries e INDEXED BY memory_copies ON e.origin = o.value AND e.origin <> e.seq AND e.doc = ?2`,
    )
    .all(JSON.stringify(origins), doc);
  return new Set(
    copies
      .filter((row) => sees(view, Number(row["bid"]), Number(row["seq"])))
      .map((row) => Number(row["origin"])),
  );
}

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

/** A copy of a thought is known by that in every store, whatever number the thought has there. */
const sourceOf = ({ source_event_id: event }: Entry): string | undefined =>
  event !== undefined && isThoughtSource(event) ? event : undefined;

export function planNoteMerge(place: Place, merge: NoteMerge) {
  const from = requireBranch(place, merge.from);
  const into = requireBranch(place, merge.into);
  const doc = findDoc(place, merge.doc);
  const { candidates, hasMore } =
    doc === undefined ? { candidates: [], hasMore: false } : notesToMerge(place, merge, doc, [from, into]);
  const origins = candidates.map(({ origin }) => origin);
  const sources = candidates.flatMap(({ entry }) => sourceOf(entry) ?? []);
  const held = heldSources(place, into, doc, sources);
  const others = candidates.filter(({ entry }) => !held.has(sourceOf(entry) ?? ""));
  const fresh = chooseNotes(others, heldOrigins(place, into, doc ?? 0, origins));
  const outcome: NoteMergeOutcome = {
    merged: fresh.length,
    skipped: candidates.length - fresh.length,
    lastSeq: candidates.at(-1)?.entry.seq ?? merge.after,
    hasMore,
  };
  return { fresh, into, outcome };
}

/** Call inside a write. The copies stand on their own: they stay when the branch they came from goes. */
export function mergeNotes(place: Place, merge: NoteMerge, at: Date): NoteMergeOutcome {
  const { fresh, into, outcome } = planNoteMerge(place, merge);
  for (const { entry, origin } of fresh) {
    const { kind, title, format, meta, content, agent_id } = entry;
    const copy = { kind, title, format, meta, content, agent_id };
    const event = sourceOf(entry) ?? `merge:${merge.from}:${entry.seq}`;
    insertEntry(place, into, merge.doc, copy, at, { seq: origin, event });
  }
  return outcome;
}
