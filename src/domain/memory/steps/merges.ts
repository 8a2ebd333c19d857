import { mergeLimits } from "../limits.ts";
import { resolveConflict as planResolution } from "../merge/decide-resolution.ts";
import { publishMerge, type StagedMerge } from "../merge/large-merge.ts";
import { copySource, planNoteMerge } from "../merge/merge-notes.ts";
import { concludeMerge, copyVersions, learnDifference, openGraph } from "../merge/merge-writes.ts";
import { outcomeOf, planMerge } from "../merge/plan-merge.ts";
import {
  addEntry,
  type Deciding,
  type Draft,
  known,
  need,
  requireBranch,
  wantBranch,
  write,
} from "./draft.ts";
import { addVersions, contentOf } from "./graph-draft.ts";
import type { GraphMergeOutcome } from "./outcomes.ts";
import type { BranchRow, WriteKind, Writes } from "./rows.ts";
import type { StepInput, StepOutcome } from "./step.ts";

/** Merges a graph. Writes nothing and returns `undefined` if `atOnce` is exceeded or `staged` is outdated. */
export function* mergeGraph(
  draft: Draft,
  { from, into, atOnce, staged, ...merge }: StepInput<"merge_graph">,
): Deciding<GraphMergeOutcome | undefined> {
  if (staged) return yield* publishStaged(draft, staged);
  const { workspace, at } = draft;
  const most = atOnce ?? merge.limit ?? mergeLimits.keys;
  const asked = { ...merge, workspace, from: { name: from }, into: { name: into } };
  yield* need(draft);
  const plan = yield* planMerge(asked, at, { atOnce: most });
  if (!plan) return undefined;
  const { sides, decision, tally } = plan;
  const differing = yield* learnDifference(plan);
  const firstSeq = sides.lastSeq + 1;
  const { writes, lastSeq } = copyVersions(plan, decision.apply, tally, firstSeq, at);
  if (writes.version.length > 0) {
    writeAll(draft, openGraph(sides, firstSeq));
    writeAll(draft, writes);
    draft.numbers.last = lastSeq;
    draft.numbers.counts = true;
  }
  writeAll(draft, concludeMerge(plan, differing, lastSeq, at));
  draft.forgets = true;
  return outcomeOf(plan);
}

function* publishStaged(draft: Draft, merge: StagedMerge): Deciding<GraphMergeOutcome | undefined> {
  yield* need(draft);
  const publication = yield* publishMerge(merge, draft.at);
  if (!publication) return undefined;
  const { published, writes, lastSeq, outcome } = publication;
  write(draft, "publishedMerge", published);
  writeAll(draft, writes);
  if (lastSeq !== undefined) {
    draft.numbers.last = lastSeq;
    draft.numbers.counts = true;
  }
  draft.forgets = true;
  return outcome;
}

function writeAll(draft: Draft, writes: Writes): void {
  for (const [kind, rows] of Object.entries(writes) as [WriteKind, never[]][])
    for (const row of rows) write(draft, kind, row);
}

/** Resolves a conflict. Does nothing if it was resolved the same way, and refuses a different resolution. */
export function* resolveConflict(
  draft: Draft,
  { id, resolution }: StepInput<"resolve_conflict">,
): Deciding<StepOutcome<"resolve_conflict">> {
  yield* need(draft);
  const resolved = yield* planResolution(draft.workspace, id, resolution);
  if (!resolved) return { applied: false };
  const { sides, decision } = resolved;
  const { wid, child, doc, into, docName } = sides;
  yield* addVersions(draft, { bid: into.branch }, docName, decision.writes.map(contentOf));
  for (const { key, seq } of decision.settle) write(draft, "settled", { wid, child, doc, key, seq });
  // Resets the marks of both directions, because the resolution may settle a key that still differs between the
  // branches.
  write(draft, "mergeMark", { child, doc });
  write(draft, "closedConflict", { wid, id, resolution, atMs: draft.at.getTime() });
  draft.forgets = true;
  return { applied: resolution === "use_from" };
}

/** Copies notes to another branch. The copies remain if their source branch is deleted. */
export function* mergeNotes(
  draft: Draft,
  merge: StepInput<"merge_notes">,
): Deciding<StepOutcome<"merge_notes">> {
  yield* need(draft, wantBranch(merge.into));
  const { fresh, outcome } = yield* planNoteMerge(draft.workspace, merge);
  const into = requireBranch(draft, merge.into);
  for (const { entry, origin } of fresh) {
    const { kind, title, format, meta, content, agent_id } = entry;
    const copy = { kind, title, format, meta, content, agent_id };
    yield* addEntry(draft, into, merge.doc, copy, { seq: origin, event: copySource(merge.from, entry) });
  }
  draft.forgets = true;
  return outcome;
}

/** Copies thoughts to a branch. The copies remain if the session is deleted. */
export function* mergeThoughts(
  draft: Draft,
  { into: name, doc, thoughts, skipped, lastSeq, hasMore }: StepInput<"merge_thoughts">,
): Deciding<StepOutcome<"merge_thoughts">> {
  yield* need(draft, wantBranch(name), { kind: "doc", keys: [doc] });
  const into = requireBranch(draft, name);
  const held = yield* heldSources(
    draft,
    into,
    doc,
    thoughts.map(({ source }) => source),
  );
  const fresh = thoughts.filter(({ source }) => !held.has(source));
  for (const { source, seq, entry } of fresh)
    yield* addEntry(draft, into, doc, entry, { seq, event: source });
  draft.forgets = true;
  return { merged: fresh.length, skipped: skipped + thoughts.length - fresh.length, lastSeq, hasMore };
}

/** Returns the sources that already have a copy on the branch, from any merge in any store. */
function* heldSources(
  draft: Draft,
  { bid }: BranchRow,
  docName: string,
  sources: readonly string[],
): Deciding<ReadonlySet<string>> {
  const doc = known(draft, "doc", docName);
  if (doc === undefined) return new Set();
  yield* need(draft, { kind: "lineage", keys: [bid] });
  const scope = { bid, doc, lineage: known(draft, "lineage", bid) };
  yield* need(draft, { kind: "source", keys: sources, scope });
  return new Set(sources.filter((source) => known(draft, "source", source, scope) !== undefined));
}
