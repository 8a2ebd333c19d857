import { MAIN } from "../columns.ts";
import type { Geometry } from "./geometry.ts";

type Lane = { end: number; chain: number };

/** One row of the snake with the lanes that were opened while it was the last. */
export type Band = { readonly page: number; readonly top: number; lanes: Lane[]; readonly hasMain: boolean };

export type Place = { band: number; lane: number; column: number };

/** A place, and whether a run of its chain begins there. */
export type Placed = Place & { starts: boolean };

export type Bands = {
  readonly list: readonly Band[];
  /** The last run of a chain. */
  runOf(chain: number): Place | undefined;
  /** `parentOf` is asked only where a run begins. The result is the chain's own and changes with its next thought. */
  place(chain: number, column: number, parentOf: () => Place | undefined): Placed;
  /** A chain that said it is over may have its lane shared. */
  setOver(chain: number, isOver: boolean): void;
  bottomOf(band: Band): number;
};

/**
 * Decides where thoughts stand, from what arrived before them only: so nothing ever moves. Each lane is filled from
 * left to right, so no cell is used twice; a band has few lanes, so each thought costs the same.
 */
export function createBands(geometry: Geometry): Bands {
  const { gapY, pitchY, pageRows, gutter, mostLanes } = geometry;
  const list: Band[] = [];
  const runs: (Placed | undefined)[] = [];
  const over: boolean[] = [];
  let reserved = -1;

  const heightOf = (lanes: number): number => lanes * pitchY - gapY;
  const bottomOf = (band: Band): number => band.top + heightOf(band.lanes.length);
  const emptyLane = (): Lane => ({ end: -1, chain: -1 });

  function open(hasMain: boolean, lanes: number): number {
    const last = list.at(-1);
    let page = last?.page ?? 0;
    let top = last ? bottomOf(last) + gutter + gapY : 0;
    if (top + heightOf(lanes) > pageRows) {
      page += 1;
      top = 0;
    }
    list.push({ page, top, lanes: Array.from({ length: lanes }, emptyLane), hasMain });
    return list.length - 1;
  }

  /** Shared only when the run before it is over and one empty cell keeps the two apart. */
  function isFree(lane: Lane, band: number, index: number, column: number): boolean {
    if (lane.end < 0) return true;
    if (lane.end + 1 >= column) return false;
    const run = runs[lane.chain];
    return over[lane.chain] === true || run?.band !== band || run.lane !== index;
  }

  function laneIn(index: number, chain: number, column: number, parent: Place | undefined): number {
    const band = list[index];
    if (!band) return -1;
    const ofParent = parent?.band === index ? parent : undefined;
    if (ofParent && column <= ofParent.column) return -1;
    if (chain === MAIN) return band.hasMain && (band.lanes[0]?.end ?? 0) < column ? 0 : -1;
    const first = ofParent ? ofParent.lane + 1 : band.hasMain ? 1 : 0;
    for (let l = first; l < band.lanes.length; l++) {
      const lane = band.lanes[l];
      if (lane && isFree(lane, index, l, column)) return l;
    }
    const count = band.lanes.length;
    if (count >= mostLanes || band.top + heightOf(count + 1) > pageRows) return -1;
    band.lanes.push(emptyLane());
    return count;
  }

  function startRun(chain: number, column: number, parent: Place | undefined): Placed {
    if (chain === MAIN && reserved >= 0 && column === 0) {
      const band = reserved;
      reserved = -1;
      return { band, lane: 0, column, starts: true };
    }
    const last = list.length - 1;
    const lane = laneIn(last, chain, column, parent);
    if (lane >= 0) {
      if (chain === MAIN && last === reserved) reserved = -1;
      return { band: last, lane, column, starts: true };
    }
    const waitsForMain = chain !== MAIN && runs[MAIN]?.band === last && last >= 0;
    const band = open(chain === MAIN || waitsForMain, waitsForMain ? 2 : 1);
    if (waitsForMain) reserved = band;
    return { band, lane: waitsForMain ? 1 : 0, column, starts: true };
  }

  function place(chain: number, column: number, parentOf: () => Place | undefined): Placed {
    const run = runs[chain];
    const own = run && list[run.band]?.lanes[run.lane];
    if (own && column > 0 && own.chain === chain && own.end === column - 1) {
      own.end = column;
      run.column = column;
      run.starts = false;
      return run;
    }
    const placed = startRun(chain, column, parentOf());
    const lane = list[placed.band]?.lanes[placed.lane];
    if (lane) {
      lane.end = column;
      lane.chain = chain;
    }
    runs[chain] = placed;
    return placed;
  }

  return {
    list,
    runOf: (chain) => runs[chain],
    place,
    setOver(chain, isOver) {
      over[chain] = isOver;
    },
    bottomOf,
  };
}
