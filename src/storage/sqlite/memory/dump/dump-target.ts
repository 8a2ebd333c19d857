import type { Lineage } from "../../../../domain/memory/lineage.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import type { Connection } from "../../connection/open-database.ts";
import { loadLineage, type Place } from "../places.ts";
import { decodeBranch } from "../rows/branch-rows.ts";
import type { Numbers } from "./dump-numbers.ts";

/** One transaction of a restore. A line that cannot be replayed is answered by what is wrong with it. */
export type Replay = {
  connection: Connection;
  /** Where the lines of a workspace go. */
  placeOf(workspace: string): Place | undefined;
  numbers: Numbers;
  branches: Map<string, BranchRow>;
  lineages: Map<number, Lineage>;
};

export function branchOf(replay: Replay, place: Place, uid: string): BranchRow | undefined {
  const key = `${place.wid} ${uid}`;
  const known = replay.branches.get(key);
  if (known) return known;
  const row = place.connection
    .sql("SELECT * FROM memory_branches WHERE wid = ? AND uid = ?")
    .get(place.wid, uid);
  if (!row) return undefined;
  const found = decodeBranch(row);
  replay.branches.set(key, found);
  return found;
}

/** A branch keeps its bases for as long as it lives. */
export function lineageIn(replay: Replay, place: Place, bid: number): Lineage {
  const lineage = replay.lineages.get(bid) ?? loadLineage(place, bid);
  replay.lineages.set(bid, lineage);
  return lineage;
}

export const noWorkspace = "belongs to no workspace";
export const noBranch = "belongs to no branch";

/** Where something is written, or why it cannot be. */
export function writable(replay: Replay, { workspace, branch: uid }: { workspace: string; branch: string }) {
  const place = replay.placeOf(workspace);
  if (!place) return noWorkspace;
  const branch = branchOf(replay, place, uid);
  if (!branch) return noBranch;
  return { place, branch };
}
