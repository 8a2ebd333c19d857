import type { BranchRow } from "../../../domain/memory/steps/rows.ts";
import { planNoteMerge } from "./documents/merge-notes.ts";
import { previewMerge } from "./merge/merge-graph.ts";
import { branchById, type Place } from "./places.ts";

/** A count beyond this would keep everybody waiting for a number that nobody needs exactly. */
const maxCounted = 2_000;

/** What a branch holds and its base does not, as far as merging it would bring it there. */
export function countUnmerged(
  place: Place,
  branch: BranchRow,
  at: Date,
): { unmerged_entries: number; unmerged_keys: number } {
  if (branch.base === undefined) return { unmerged_entries: 0, unmerged_keys: 0 };
  const into = branchById(place, branch.base).name;
  const streams = place.connection
    .sql(
      `SELECT d.name, s.form FROM memory_streams s JOIN memory_docs d ON d.doc = s.doc WHERE s.bid = ? ORDER BY d.name`,
    )
    .all(branch.bid);
  let [entries, keys] = [0, 0];
  for (const { name, form } of streams) {
    const merge = { from: branch.name, into, doc: String(name), after: 0, limit: maxCounted };
    if (form === "log") entries += planNoteMerge(place, merge).outcome.merged;
    else {
      const { merged = 0, summary } = previewMerge(place, merge, at, maxCounted) ?? {};
      keys += merged + (summary?.conflicts ?? 0);
    }
  }
  return { unmerged_entries: entries, unmerged_keys: keys };
}
