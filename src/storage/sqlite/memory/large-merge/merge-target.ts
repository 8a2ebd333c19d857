import { unknownBranch } from "../../../../domain/memory/refusals.ts";
import type { GraphMerge } from "../../../../domain/memory/steps/outcomes.ts";
import type { Connection } from "../../connection/open-database.ts";
import { type MergeSides, openSides, sidesOf } from "../merge/merge-facts.ts";
import { branchById, findWorkspace, type Place, requireBranchIn } from "../places.ts";

/** Two branches by number: one of them may be renamed while they are merged. */
export type MergeTarget = { workspace: string; merge: GraphMerge; from: number; into: number };

export function findTarget(connection: Connection, workspace: string, merge: GraphMerge): MergeTarget {
  const { place } = requireBranchIn(connection, workspace, merge.from);
  const { from, into } = openSides(place, merge);
  return { workspace, merge, from: from.bid, into: into.bid };
}

export function placeOf(connection: Connection, { workspace, merge }: MergeTarget): Place {
  const place = findWorkspace(connection, workspace);
  if (!place) throw unknownBranch(merge.from, workspace);
  return place;
}

/** As they are now. */
export function sidesNow(connection: Connection, target: MergeTarget): MergeSides {
  const place = placeOf(connection, target);
  const [from, into] = [target.from, target.into].map((bid) => branchById(place, bid));
  for (const branch of [from, into])
    if (!branch || branch.deletedAtMs !== undefined)
      throw unknownBranch(branch?.name ?? "", target.workspace);
  if (!from || !into) throw unknownBranch(target.merge.from, target.workspace);
  return sidesOf(place, from, into, target.merge.doc);
}
