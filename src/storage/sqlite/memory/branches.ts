import { checkDeletion, refuseReserved } from "../../../domain/memory/steps/branches.ts";
import type { Branch } from "../../../domain/memory/steps/outcomes.ts";
import type { BranchRow } from "../../../domain/memory/steps/rows.ts";
import type { StepInput, StepOutcome } from "../../../domain/memory/steps/step.ts";
import type { BranchPage } from "../../../ports/memory/memory-store.ts";
import { decodeBranch } from "../../rows/memory-rows.ts";
import { planNoteMerge } from "./documents/merge-notes.ts";
import { previewMerge } from "./merge/merge-graph.ts";
import { branchById, branchOrCheckout, type Place, requireBranch } from "./places.ts";

export function showBranch(place: Place, branch: BranchRow): Branch {
  return {
    name: branch.name,
    base_branch: branch.base === undefined ? null : branchById(place, branch.base).name,
    base_seq: branch.base === undefined ? null : branch.baseSeq,
    created_at_ms: branch.createdAtMs,
    ...(branch.deletedAtMs !== undefined && { deleted_at_ms: branch.deletedAtMs }),
  };
}

/** A count beyond this would keep everybody waiting for a number that nobody needs exactly. */
const maxCounted = 2_000;

/** What a branch holds and its base does not, as far as merging it would bring it there. */
function countUnmerged(
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

/**
 * Call inside a write. Nothing is erased: what only this branch shows is hidden with it until it is restored, and what
 * was merged elsewhere stays there.
 */
export function deleteBranch(
  place: Place,
  { name }: StepInput<"delete_branch">,
  at: Date,
): StepOutcome<"delete_branch"> {
  const { sql } = place.connection;
  refuseReserved(place.workspace, name);
  const branch = requireBranch(place, name);
  const child = sql(
    "SELECT name FROM memory_branches WHERE base = ? AND deleted_at_ms IS NULL ORDER BY bid LIMIT 1",
  ).get(branch.bid);
  const other = sql(
    "SELECT name FROM memory_branches WHERE wid = ? AND bid <> ? AND deleted_at_ms IS NULL ORDER BY bid LIMIT 1",
  ).get(place.wid, branch.bid);
  checkDeletion({
    workspace: place.workspace,
    name,
    isCheckedOut: branchOrCheckout(place, undefined).bid === branch.bid,
    other: other && String(other["name"]),
    child: child && String(child["name"]),
  });
  const unmerged = countUnmerged(place, branch, at);
  // Restoring takes the one deleted last: two of a name within a millisecond, or a clock set back, must not blur that.
  sql(
    `UPDATE memory_branches SET deleted_at_ms = max(?1, coalesce(1 + (SELECT max(d.deleted_at_ms) FROM memory_branches d
       WHERE d.wid = ?2 AND d.name = ?3), 0)) WHERE bid = ?4`,
  ).run(at.getTime(), place.wid, name, branch.bid);
  return { deleted: true, ...unmerged };
}

/** The one that was deleted last. */
export function findDeletedBranch({ connection, wid }: Place, name: string): BranchRow | undefined {
  const row = connection
    .sql(
      `SELECT * FROM memory_branches WHERE wid = ? AND name = ? AND deleted_at_ms IS NOT NULL AND erased = 0
       ORDER BY deleted_at_ms DESC LIMIT 1`,
    )
    .get(wid, name);
  return row && decodeBranch(row);
}

export function listBranches(place: Place, { after, limit, deleted = false }: BranchPage): Branch[] {
  return place.connection
    .sql(`SELECT * FROM memory_branches
          WHERE wid = ? AND name > ? AND (deleted_at_ms IS NOT NULL) = ? AND erased = 0 ORDER BY name LIMIT ?`)
    .all(place.wid, after, deleted ? 1 : 0, limit)
    .map((row) => showBranch(place, decodeBranch(row)));
}
