import { planVersions, type Tally } from "../../../../domain/memory/graph/plan-versions.ts";
import type { MergeKey } from "../../../../domain/memory/merge/decide-merge.ts";
import { writeFacets } from "../graph/graph-facets.ts";
import { tallyOf } from "../graph/graph-tally.ts";
import type { WritableGraph } from "../graph/graph-view.ts";
import { insertVersions } from "../graph/write-versions.ts";
import { stageConflict } from "../merge/conflicts.ts";
import type { MergeSides } from "../merge/merge-facts.ts";
import { copyOf } from "../merge/merge-graph.ts";
import { type MergePlan, newConflicts, slicesOf } from "../merge/plan-merge.ts";
import { type Block, touchBlock } from "./merge-block.ts";
import { type MergeTarget, sidesNow } from "./merge-target.ts";
import { type MergeRun, yieldTurn } from "./slices.ts";

export type Staged = {
  /** Of each key that is applied: its version, and what it adds to the counts of the branch. */
  versions: Map<string, { seq: number; change: Tally }>;
  /** Whether any of them takes the place of one that the target itself wrote. */
  replacesOwn: boolean;
};

/** Writes ahead of the counter, where nobody looks. `undefined` where the merge had to give way. */
export async function stageInSlices(
  run: MergeRun,
  target: MergeTarget,
  plan: MergePlan,
  block: Block,
): Promise<Staged | undefined> {
  const staged: Staged = { versions: new Map(), replacesOwn: false };
  for (const keys of slicesOf(plan.decision.apply)) {
    const isStaged = await run.write(
      (connection) =>
        touchBlock(connection, block, run.nowMs()) &&
        stageVersions(sidesNow(connection, target), plan, block, staged, keys),
    );
    if (!isStaged) return undefined;
    run.report(keys.length / 2);
    await yieldTurn(run);
  }
  for (const conflicts of slicesOf(newConflicts(plan))) {
    const isStaged = await run.write((connection) => {
      if (!touchBlock(connection, block, run.nowMs())) return false;
      const sides = sidesNow(connection, target);
      for (const conflict of conflicts) stageConflict(sides, conflict);
      return true;
    });
    if (!isStaged) return undefined;
    await yieldTurn(run);
  }
  return staged;
}

export const targetGraph = ({ place, into, doc, ours }: MergeSides): WritableGraph => ({
  ...ours,
  place,
  doc,
  bid: into.bid,
});

function stageVersions(
  sides: MergeSides,
  { branchedAt, at, applied }: MergePlan,
  { firstSeq }: Block,
  staged: Staged,
  keys: readonly MergeKey[],
): true {
  const graph = targetGraph(sides);
  const contents = keys.map(copyOf);
  const held = new Map(
    keys.flatMap(({ key }) => {
      const version = applied.get(key)?.held;
      return version ? [[key, version] as const] : [];
    }),
  );
  const { rows, superseded } = planVersions(
    { held, tally: tallyOf(graph), branchedAt, firstSeq: firstSeq + staged.versions.size },
    contents,
  );
  insertVersions(graph, rows, at);
  writeFacets(
    graph,
    rows.map(({ seq, item }) => [seq, applied.get(item.key)?.facets ?? []]),
  );
  for (const { seq, change, item } of rows) staged.versions.set(item.key, { seq, change });
  staged.replacesOwn ||= superseded.length > 0;
  return true;
}
