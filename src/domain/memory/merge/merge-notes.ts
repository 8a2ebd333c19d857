import { clipWhole } from "../../../kernel/secrets/secrets-policy.ts";
import { limits } from "../../ledger/limits.ts";
import type { ChainedThought } from "../../ledger/thought.ts";
import { addressOf, describeAddress, nodeId } from "../../ledger/thought.ts";
import type { Entry, NewEntry } from "../entry.ts";
import { beyond, lineageOf } from "../lineage.ts";
import type { NoteMerge, NoteMergeOutcome } from "../steps/outcomes.ts";
import { ask, type FoundNote, type MergeRounds } from "./merge-questions.ts";
import { present } from "./merge-sides.ts";

/**
 * A thought to copy into a document. `source` identifies the thought in every store. `source` is also the
 * `source_event_id` of each copy, including copies of copies. `seq` is the thought's seq in this store.
 */
export type ThoughtCopy = { source: string; seq: number; entry: NewEntry };

/** Callers cannot create branches whose names begin with `session/`, so only copied thoughts have this prefix. */
export const thoughtSourcePrefix = "merge:session/";

export const isThoughtSource = (event: string): boolean => event.startsWith(thoughtSourcePrefix);

export const thoughtSource = ({ sessionId, data }: Pick<ChainedThought, "sessionId" | "data">): string =>
  `${thoughtSourcePrefix}${nodeId(sessionId, addressOf(data))}`;

/** Copies a thought. The title contains the session and the thought number. `open` accepts `meta.source`. */
export function copyThought(sessionTitle: string, thought: ChainedThought): ThoughtCopy {
  const { sessionId, seq, data } = thought;
  const address = addressOf(data);
  return {
    source: thoughtSource(thought),
    seq,
    entry: {
      kind: "note",
      title: `${clipWhole(sessionTitle, limits.title)}: ${describeAddress(address)}`,
      meta: { source: nodeId(sessionId, address) },
      content: data.thought,
      agent_id: data.agentId,
    },
  };
}

export type NoteMergePlan = {
  /** The notes to copy, oldest first. */
  fresh: readonly FoundNote[];
  into: number;
  outcome: NoteMergeOutcome;
};

/**
 * Finds the notes that are visible on `from` but not on `into`, in two rounds after the branches are known.
 */
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
    // Reads one note more than the limit, to find out whether more follow.
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

/** Returns the source of a copied thought. Unlike its seq, the source is the same in every store. */
const sourceOf = ({ source_event_id: event }: Entry): string | undefined =>
  event !== undefined && isThoughtSource(event) ? event : undefined;

/** Returns the source that identifies the copy of a note. */
export const copySource = (from: string, entry: Entry): string =>
  sourceOf(entry) ?? `merge:${from}:${entry.seq}`;

/** Drops duplicates, and notes that the target already contains as originals or copies. */
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
