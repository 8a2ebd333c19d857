import type { Lineage } from "../../../../domain/memory/lineage.ts";
import type { BranchRow } from "../../../../domain/memory/steps/rows.ts";
import { decodeBranch } from "../../../rows/memory-rows.ts";
import type { Connection } from "../../connection/open-database.ts";
import { currentSeq, reachSeq } from "../../connection/sequence.ts";
import { loadLineage, type Place } from "../places.ts";

/** Numbers above `after` are moved by `shift`; later pieces begin higher and are moved at least as far. */
type Piece = { after: number; shift: number };

/**
 * How a dump's numbers become numbers of this store. Each transaction takes the next free ones, so that what others
 * write in between keeps its place; gaps stay gaps, and the order stays the order. Never changed, only replaced: a
 * transaction may have to be run again.
 */
export type Numbers = { pieces: readonly Piece[]; last: number };

export const noNumbers: Numbers = { pieces: [], last: 0 };

/** Call inside a write, before the first line. As long as nobody else took a number all stay; then they move above `floor`. */
export function rebaseNumbers({ pieces, last }: Numbers, connection: Connection, floor: number): Numbers {
  const current = currentSeq(connection);
  const start = current === last ? current : Math.max(current, floor);
  const shift = start - last;
  return pieces.at(-1)?.shift === shift
    ? { pieces, last }
    : { pieces: [...pieces, { after: last, shift }], last };
}

/** Whatever the dump refers to: things that are gone keep their numbers as well. */
export function renumber({ pieces }: Numbers, old: number): number {
  const piece = pieces.findLast(({ after }) => old > after);
  return piece ? old + piece.shift : old;
}

/** Call inside a write: the next number given out will be `next`, or a higher one that is due already. */
export function setNext(connection: Connection, next: number): void {
  if (currentSeq(connection) < next - 1) reachSeq(connection, next - 1);
}

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
