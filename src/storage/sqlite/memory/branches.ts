import type { Branch } from "../../../domain/memory/steps/outcomes.ts";
import type { BranchRow } from "../../../domain/memory/steps/rows.ts";
import type { BranchPage } from "../../../ports/memory/memory-store.ts";
import { decodeBranch } from "../../rows/memory-rows.ts";
import { branchById, type Place } from "./places.ts";

export function showBranch(place: Place, branch: BranchRow): Branch {
  return {
    name: branch.name,
    base_branch: branch.base === undefined ? null : branchById(place, branch.base).name,
    base_seq: branch.base === undefined ? null : branch.baseSeq,
    created_at_ms: branch.createdAtMs,
    ...(branch.deletedAtMs !== undefined && { deleted_at_ms: branch.deletedAtMs }),
  };
}

/** The one that was deleted last. */
export function findDeletedBranch(
  { connection, wid }: Pick<Place, "connection" | "wid">,
  name: string,
): BranchRow | undefined {
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
