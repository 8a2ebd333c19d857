import { MAIN, NONE } from "../columns.ts";
import type { Geometry } from "./geometry.ts";
import { widen } from "./widen.ts";

/**
 * Bands are the rows of the snake. A lane belongs to the band that was last when the lane was opened. The
 * lane's slot number, band × most lanes + lane, identifies it. The code uses typed arrays of numbers and no
 * closures, because a long session is laid out before the engine has optimised the code. Until then, objects
 * and closures are slow.
 */
export type Bands = {
  readonly geometry: Geometry;
  size: number;
  page: Int32Array;
  /** The offset of the band in its page. */
  top: Int32Array;
  lanes: Uint8Array;
  hasMain: Uint8Array;
  /** By slot: the last used column, or -1 in an empty lane, and the chain that used it. */
  end: Int32Array;
  holder: Int32Array;
  /**
   * By chain: the slot of its last run, and whether that run ended with a rejection, so that its lane may be shared.
   */
  run: Int32Array;
  over: Uint8Array;
  /** The band whose first lane is reserved for the main line. */
  reserved: number;
};

const ROOM = 64;

/**
 * A thought's position depends only on earlier thoughts, so nothing ever moves. Each lane is filled from left
 * to right, so no cell is used twice. A band has few lanes, so placing a thought always costs about the same.
 */
export const createBands = (geometry: Geometry): Bands => ({
  geometry,
  size: 0,
  page: new Int32Array(ROOM),
  top: new Int32Array(ROOM),
  lanes: new Uint8Array(ROOM),
  hasMain: new Uint8Array(ROOM),
  end: new Int32Array(ROOM * geometry.mostLanes).fill(-1),
  holder: new Int32Array(ROOM * geometry.mostLanes),
  run: new Int32Array(ROOM).fill(NONE),
  over: new Uint8Array(ROOM),
  reserved: NONE,
});

const bottomAt = ({ pitchY, gapY }: Geometry, top: number, lanes: number): number =>
  top + lanes * pitchY - gapY;

export const bottomOf = (bands: Bands, band: number): number =>
  bottomAt(bands.geometry, bands.top[band] as number, bands.lanes[band] as number);

/** Returns the slot in which the chain's run continues at this column, or `NONE` if a new run must start. */
export function slotOfRun(bands: Bands, chain: number, column: number): number {
  if (column === 0 || chain >= bands.run.length) return NONE;
  const slot = bands.run[chain] as number;
  return slot >= 0 && bands.holder[slot] === chain && bands.end[slot] === column - 1 ? slot : NONE;
}

/** Chooses a slot for the first thought of a run. `parent` is the previous thought's slot, or `NONE`. */
export function startRun(
  bands: Bands,
  chain: number,
  column: number,
  parent: number,
  parentColumn: number,
): number {
  const { mostLanes } = bands.geometry;
  if (chain === MAIN && bands.reserved >= 0 && column === 0) {
    const slot = bands.reserved * mostLanes;
    bands.reserved = NONE;
    return slot;
  }
  const last = bands.size - 1;
  const found = slotIn(bands, last, chain, column, parent, parentColumn);
  if (found >= 0) {
    if (chain === MAIN && last === bands.reserved) bands.reserved = NONE;
    return found;
  }
  const waitsForMain = chain !== MAIN && last >= 0 && (bands.run[MAIN] as number) >= last * mostLanes;
  const band = openBand(bands, chain === MAIN || waitsForMain, waitsForMain ? 2 : 1);
  if (waitsForMain) bands.reserved = band;
  return band * mostLanes + (waitsForMain ? 1 : 0);
}

/** Records a thought in a slot, which becomes the end of the chain's run. */
export function occupy(bands: Bands, slot: number, chain: number, column: number, isOver: boolean): void {
  if (chain >= bands.run.length) makeRoomForChain(bands, chain);
  bands.end[slot] = column;
  bands.holder[slot] = chain;
  bands.run[chain] = slot;
  bands.over[chain] = isOver ? 1 : 0;
}

function slotIn(
  bands: Bands,
  band: number,
  chain: number,
  column: number,
  parent: number,
  parentColumn: number,
): number {
  if (band < 0) return NONE;
  const { geometry, hasMain } = bands;
  const { mostLanes, pageRows } = geometry;
  const slots = band * mostLanes;
  const count = bands.lanes[band] as number;
  const isHere = parent >= slots;
  if (isHere && column <= parentColumn) return NONE;
  if (chain === MAIN) return hasMain[band] === 1 && (bands.end[slots] as number) < column ? slots : NONE;
  const first = isHere ? parent + 1 : slots + (hasMain[band] as number);
  for (let slot = first; slot < slots + count; slot++) if (isFree(bands, slot, column)) return slot;
  if (count >= mostLanes || bottomAt(geometry, bands.top[band] as number, count + 1) > pageRows) return NONE;
  bands.lanes[band] = count + 1;
  return slots + count;
}

/** Returns whether a lane can be shared: its last run is over, and an empty cell precedes the new one. */
function isFree({ end, holder, over, run }: Bands, slot: number, column: number): boolean {
  const taken = end[slot] as number;
  if (taken < 0) return true;
  if (taken + 1 >= column) return false;
  const chain = holder[slot] as number;
  return over[chain] === 1 || run[chain] !== slot;
}

function openBand(bands: Bands, hasMain: boolean, lanes: number): number {
  const { geometry, size } = bands;
  if (size === bands.page.length) makeRoomForBand(bands);
  let page = size === 0 ? 0 : (bands.page[size - 1] as number);
  let top = size === 0 ? 0 : bottomOf(bands, size - 1) + geometry.gutter + geometry.gapY;
  if (bottomAt(geometry, top, lanes) > geometry.pageRows) {
    page += 1;
    top = 0;
  }
  bands.page[size] = page;
  bands.top[size] = top;
  bands.lanes[size] = lanes;
  bands.hasMain[size] = hasMain ? 1 : 0;
  bands.size = size + 1;
  return size;
}

function makeRoomForBand(bands: Bands): void {
  const slots = bands.end.length;
  bands.page = widen(bands.page);
  bands.top = widen(bands.top);
  bands.lanes = widen(bands.lanes);
  bands.hasMain = widen(bands.hasMain);
  bands.end = widen(bands.end).fill(-1, slots);
  bands.holder = widen(bands.holder);
}

function makeRoomForChain(bands: Bands, chain: number): void {
  const chains = bands.run.length;
  const room = Math.max(chain + 1, chains * 2);
  bands.run = widen(bands.run, room).fill(NONE, chains);
  bands.over = widen(bands.over, room);
}
