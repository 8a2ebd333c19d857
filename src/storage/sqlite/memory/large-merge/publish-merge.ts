import { addTallies, type Tally } from "../../../../domain/memory/graph/plan-versions.ts";
import { combineFacts } from "../../../../domain/memory/merge/combine-facts.ts";
import { decideMerge, type OpenConflict } from "../../../../domain/memory/merge/decide-merge.ts";
import { mergeLimits } from "../../../../domain/memory/merge/merge-limits.ts";
import { reviseMerge } from "../../../../domain/memory/merge/revise-merge.ts";
import type { GraphMergeOutcome } from "../../../../domain/memory/steps/outcomes.ts";
import type { Connection } from "../../connection/open-database.ts";
import { currentSeq, reachSeq } from "../../connection/sequence.ts";
import { tallyOf } from "../graph/graph-tally.ts";
import { keysWritten } from "../graph/graph-view.ts";
import { branchedAt, openForWriting, writeVersions } from "../graph/write-versions.ts";
import { readApplied } from "../merge/applied-keys.ts";
import { publishConflicts } from "../merge/conflicts.ts";
import { loadAgain, loadOpen, type MergeSides, namesOf } from "../merge/merge-facts.ts";
import { concludeMerge, copyOf } from "../merge/merge-graph.ts";
import { collide, countApplied, type MergePlan } from "../merge/plan-merge.ts";
import { openStream } from "../places.ts";
import { type Block, forgetBlock, publishBlock, touchBlock, withdrawVersions } from "./merge-block.ts";
import { type MergeTarget, sidesNow } from "./merge-target.ts";
import { type Staged, targetGraph } from "./stage-in-slices.ts";

/**
 * Call inside a write. All of the merge is there afterwards: it lies ahead of the counter, which moves over it. Returns
 * `undefined` where too much has changed since it was planned.
 */
export function publishMerge(
  connection: Connection,
  target: MergeTarget,
  planned: MergePlan,
  block: Block,
  staged: Staged,
  nowMs: number,
): GraphMergeOutcome | undefined {
  if (!touchBlock(connection, block, nowMs)) return undefined;
  const sides = sidesNow(connection, target);
  const { place, into } = sides;
  if (branchedAt({ place, bid: into.bid }) !== planned.branchedAt) return undefined;
  const plan = decideAgain(sides, planned);
  if (!plan) return undefined;

  const { withdrawn, added } = reviseMerge(planned.decision, plan.decision);
  const rows = new Map(staged.versions);
  const gone = withdrawn.flatMap(({ key }) => rows.get(key)?.seq ?? []);
  for (const { key } of withdrawn) rows.delete(key);
  withdrawVersions(place, block, gone);
  if (staged.replacesOwn) publishBlock(connection, block);
  else forgetBlock(connection, block);
  moveCounter(sides, [...rows.values()]);
  if (added.length > 0) writeVersions(openForWriting(place, into, sides.docName), added.map(copyOf), plan.at);
  const seqs = [...rows.values()].map(({ seq }) => seq);
  const copies = seqs.length > 0 ? { first: Math.min(...seqs), last: Math.max(...seqs) } : undefined;
  // As it is seen now that the block is published.
  return concludeMerge(sidesNow(connection, target), plan, copies, publishConflicts);
}

/** The plan as it is right now; the same one where neither branch has moved, none where too much has changed. */
function decideAgain(sides: MergeSides, plan: MergePlan): MergePlan | undefined {
  const changed = changedSince(sides, plan.readSeq);
  if (changed.length > mergeLimits.transaction) return undefined;
  const open = loadOpen(sides);
  if (changed.length === 0 && isSame(open.conflicts, plan.open)) return plan;
  const again = loadAgain(sides, changed, new Set(plan.page.map(({ key }) => key)));
  const facts = combineFacts(namesOf(sides), open.conflicts, [...plan.slices, open.slice, again]);
  const decision = decideMerge(facts);
  const { added } = reviseMerge(plan.decision, decision);
  const known = new Set(plan.decision.conflicts.map(({ at }) => at));
  const found = decision.conflicts.filter(({ isNew, at }) => isNew && !known.has(at));
  const applied = new Map([...plan.applied, ...readApplied(sides, added)]);
  const collisions = new Map(plan.collisions);
  for (const conflict of collide(sides, found, plan.at)) collisions.set(conflict.key, conflict);
  return { ...plan, decision, applied, collisions, counts: countApplied(decision, applied) };
}

/** Keys of the document that either branch itself has written since. */
function changedSince({ place, doc, from, into }: MergeSides, seq: number): string[] {
  const upTo = currentSeq(place.connection);
  const keys = [from, into].flatMap(({ bid }) =>
    keysWritten(place, { doc, bid, after: seq, upTo }, mergeLimits.transaction + 1),
  );
  return [...new Set(keys)];
}

const isSame = (some: readonly OpenConflict[], others: readonly OpenConflict[]): boolean => {
  const ids = new Set(others.map(({ id }) => id));
  return some.length === others.length && some.every(({ id }) => ids.has(id));
};

/** Nobody can see a part of a merge, so of the counts that versions carry only those of the last one are ever read. */
function moveCounter(sides: MergeSides, rows: readonly { seq: number; change: Tally }[]): void {
  const { place, into, docName } = sides;
  const { connection } = place;
  const before = tallyOf(targetGraph(sides));
  if (rows.length === 0) return;
  const last = Math.max(...rows.map(({ seq }) => seq));
  const { liveNodes, inheritedNodes, liveEdges } = addTallies([before, ...rows.map(({ change }) => change)]);
  openStream(place, into.bid, docName, "graph", Math.min(...rows.map(({ seq }) => seq)));
  connection
    .sql("UPDATE graph_versions SET live_nodes = ?, inherited_nodes = ?, live_edges = ? WHERE seq = ?")
    .run(liveNodes, inheritedNodes, liveEdges, last);
  reachSeq(connection, last);
}
