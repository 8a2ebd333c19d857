import { type Columns, MAIN } from "./columns.ts";
import { widen } from "./layout/widen.ts";

/** Gaps longer than this many milliseconds (three minutes) are shortened to one minute. */
const LONGEST_GAP = 180_000;
const CUT_TO = 60_000;
/** The maximum number of rows for branches below the main line. */
const MOST_ROWS = 3;

/** Positions of thoughts on the time strip, in milliseconds with long gaps shortened. Grows with the session. */
export type TimeScale = {
  /** Position of each thought, ascending. */
  readonly position: Float64Array;
  /** Thoughts after a shortened gap. */
  readonly cuts: readonly number[];
  readonly end: number;
  /** Returns 0 for the main line, 1 to 3 for branches. Branches that do not overlap in time share a row. */
  rowOf(chain: number): number;
  extend(): void;
  /** Returns the last thought at or before a position. */
  thoughtAt(position: number): number;
};

export function createTimeScale(columns: Columns): TimeScale {
  let size = 0;
  let position = new Float64Array(256);
  const cuts: number[] = [];
  let row: Uint8Array = new Uint8Array(0);

  function extend(): void {
    const { time } = columns;
    if (position.length < columns.size) position = widen(position, columns.size * 2);
    for (; size < columns.size; size++) {
      if (size === 0) continue;
      const gap = Math.max(0, (time[size] as number) - (time[size - 1] as number));
      if (gap > LONGEST_GAP) cuts.push(size);
      position[size] = (position[size - 1] as number) + (gap > LONGEST_GAP ? CUT_TO : gap);
    }
    row = rowsOf(columns);
  }

  function thoughtAt(wanted: number): number {
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((position[middle] as number) <= wanted) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
  extend();

  return {
    get position() {
      return position;
    },
    cuts,
    get end() {
      return (size === 0 ? 0 : position[size - 1]) || 1;
    },
    rowOf: (chain) => row[chain] ?? 0,
    extend,
    thoughtAt,
  };
}

function rowsOf({ chains }: Columns): Uint8Array {
  const rows = new Uint8Array(chains.length);
  const ends: number[] = [];
  for (let c = MAIN + 1; c < chains.length; c++) {
    const thoughts = chains[c]?.thoughts ?? [];
    const first = thoughts[0] ?? 0;
    let free = ends.findIndex((end) => end < first);
    if (free < 0) free = ends.length < MOST_ROWS ? ends.length : MOST_ROWS - 1;
    ends[free] = Math.max(ends[free] ?? -1, thoughts.at(-1) ?? 0);
    rows[c] = free + 1;
  }
  return rows;
}
