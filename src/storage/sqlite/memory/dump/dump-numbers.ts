import type { Connection } from "../../connection/open-database.ts";
import { currentSeq, reachSeq } from "../../connection/sequence.ts";

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
