import { addTallies, type Tally } from "../../../../domain/memory/graph/plan-versions.ts";
import { combineFacts } from "../../../../domain/memory/merge/combine-facts.ts";
import { decideMerge, type OpenConflict } from "../../../../domain/memory/merge/decide-merge.ts";
import { reviseMerge } from "../../../../domain/memory/merge/revise-merge.ts";
import type { GraphMergeOutcome } from "../../../../ports/memory/graph.ts";
import type { Connection } from "../../connection/open-database.ts";
import { currentSeq, reachSeq } from "../../connection/sequence.ts";
import { closeConflicts, countOpenConflicts, publishConflicts } from "../graph/conflicts.ts";
import { copyOf } from "../graph/graph-merge.ts";
import { tallyOf } from "../graph/graph-tally.ts";
import { loadAgain, loadOpen, type MergeSides, namesOf } from "../graph/merge-facts.ts";
import { moveMark } from "../graph/merge-marks.ts";
import { settle } from "../graph/settled.ts";
import { branchedAt, openForWriting, writeVersions } from "../graph/write-versions.ts";
import { openStream } from "../places.ts";
import { readApplied } from "./applied-keys.ts";
import { type Block, forgetBlock, publishBlock, touchBlock, withdrawVersions } from "./merge-block.ts";
import { sidesNow } from "./merge-target.ts";
import { collide, type LargePlan, newConflicts, outcomeOf, summariseApplied } from "./plan-in-slices.ts";
import { type Staged, targetGraph } from "./stage-in-slices.ts";

/** Keys that are decided again while everybody waits; where more have changed, the merge begins again. */
const maxDecidedAgain = 500;

/**
 * Call inside a write. All of the merge is there afterwards: it lies ahead of the counter, which moves over it. Returns
 * `undefined` where too much has changed since it was planned.
 */
export function publishMerge(
  connection: Connection,
  planned: LargePlan,
  block: Block,
  staged: Staged,
  nowMs: number,
): GraphMergeOutcome | undefined {
  if (!touchBlock(connection, block, nowMs)) return undefined;
  const sides = sidesNow(connection, planned.target);
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

  settle(sides, plan.decision.settle);
  moveMark(sides, plan.start, plan.page, plan.decision.pending);
  closeConflicts(place, plan.decision.moot, "moot", plan.at);
  const conflicts = newConflicts(plan);
  publishConflicts(sides, conflicts);
  return {
    ...outcomeOf(sides, plan),
    conflicts: conflicts.map((conflict) => ({ ...conflict, status: "open" })),
    conflictsOpen: countOpenConflicts(sides),
  };
}

/** The plan as it is right now; the same one where neither branch has moved. */
function decideAgain(sides: MergeSides, plan: LargePlan): LargePlan | undefined {
  const changed = changedSince(sides, plan.readSeq);
  if (changed.length > maxDecidedAgain) return undefined;
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
  return { ...plan, decision, applied, collisions, summary: summariseApplied(decision, applied) };
}

/** Keys of the document that either branch itself has written since. */
function changedSince({ place, doc, from, into }: MergeSides, seq: number): string[] {
  const { connection } = place;
  const select = connection.sql(
    `SELECT key FROM graph_versions INDEXED BY graph_by_seq WHERE doc = ? AND bid = ? AND visible = 1
     AND seq > ? AND seq <= ? LIMIT ?`,
  );
  const now = currentSeq(connection);
  const rows = [from, into].flatMap(({ bid }) => select.all(doc, bid, seq, now, maxDecidedAgain + 1));
  return [...new Set(rows.map((row) => String(row["key"])))];
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
