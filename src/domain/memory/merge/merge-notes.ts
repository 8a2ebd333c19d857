import type { Entry } from "../entry.ts";
import { beyond, lineageOf } from "../lineage.ts";
import type { NoteMerge, NoteMergeOutcome } from "../steps/outcomes.ts";
import { ask, type FoundNote, type MergeRounds } from "./merge-questions.ts";
import { present } from "./merge-sides.ts";
import { isThoughtSource } from "./thought-copy.ts";

export type NoteMergePlan = {
  /** The notes to copy, oldest first. */
  fresh: readonly FoundNote[];
  /** The target's number. */
  into: number;
  outcome: NoteMergeOutcome;
};

/** Notes that `from` shows and `into` does not, in two rounds after the branches are known. */
export function* planNoteMerge(workspace: string, merge: NoteMerge): MergeRounds<NoteMergePlan> {
  const asked = { from: { name: merge.from }, into: { name: merge.into } };
  const { sides } = yield* ask({ sides: { ...asked, doc: merge.doc } });
  const from = present(workspace, asked.from, sides.from);
  const into = present(workspace, asked.into, sides.into);
  const { doc } = sides;
  const view = lineageOf(into.links);
  const missing = beyond(lineageOf(from.links), view)
    .map((segment) => ({ ...segment, after: Math.max(segment.after, merge.after) }))
    .filter(({ after, upTo }) => after < upTo)
    .toReversed();
  const { notes: found = [] } = yield* ask({
    // Reading one more than needed shows whether more follow.
    notes: doc === undefined || missing.length === 0 ? undefined : { doc, missing, limit: merge.limit + 1 },
  });
  const candidates = found.slice(0, merge.limit);
  const sources = candidates.flatMap(({ entry }) => sourceOf(entry) ?? []);
  const origins = candidates.map(({ origin }) => origin);
  const { copies: held } = yield* ask({
    copies: doc === undefined || candidates.length === 0 ? undefined : { doc, view, origins, sources },
  });
  const fresh = chooseNotes(candidates, held);
  return {
    fresh,
    into: into.branch,
    outcome: {
      merged: fresh.length,
      skipped: candidates.length - fresh.length,
      lastSeq: candidates.at(-1)?.entry.seq ?? merge.after,
      hasMore: found.length > merge.limit,
    },
  };
}

/** The source identifies a copied thought in every store, whatever number the thought has there. */
const sourceOf = ({ source_event_id: event }: Entry): string | undefined =>
  event !== undefined && isThoughtSource(event) ? event : undefined;

/** Identifies the copy of a note. */
export const copySource = (from: string, entry: Entry): string =>
  sourceOf(entry) ?? `merge:${from}:${entry.seq}`;

/** Unique, without those that the target already shows, as originals or copies. */
function chooseNotes(
  candidates: readonly FoundNote[],
  held: { origins: readonly number[]; sources: readonly string[] } = { origins: [], sources: [] },
): FoundNote[] {
  const seen = new Set(held.origins);
  const sources = new Set(held.sources);
  return candidates.filter(({ entry, origin }) => {
    if (sources.has(sourceOf(entry) ?? "") || seen.has(origin)) return false;
    seen.add(origin);
    return true;
  });
}
