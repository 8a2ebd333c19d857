import { type Columns, NONE } from "../columns.ts";
import { REJECTED } from "../thought-types.ts";
import { type Bands, bottomOf, createBands, occupy, slotOfRun, startRun } from "./bands.ts";
import { type Geometry, geometryOf, pagesAcross } from "./geometry.ts";
import { widen } from "./widen.ts";

export type Point = { x: number; y: number };

/** A sheet of bands, the unit for layout, culling and painting. */
export type Page = Point & {
  /** Thoughts with their own cell, in order of arrival. */
  readonly thoughts: readonly number[];
};

/** The position of each thought in a session. Arrays are replaced when they grow, so read them again after `extend`. */
export type Layout = {
  readonly geometry: Geometry;
  readonly across: number;
  readonly folded: ReadonlySet<string>;
  readonly size: number;
  /** Upper left corner of each card, in world units. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly page: Int32Array;
  readonly band: Int32Array;
  readonly lane: Uint8Array;
  readonly column: Uint8Array;
  readonly depth: Int32Array;
  /** 1 for a thought that starts a run: a row, a branch, or a line that continues elsewhere. */
  readonly starts: Uint8Array;
  /** 0 for thoughts in a folded branch except its first, whose cell they share. */
  readonly shown: Uint8Array;
  readonly pages: readonly Page[];
  /** Places the thoughts that arrived since the last call. */
  extend(): void;
  /** Returns the position of a chain's next thought in its row, or `undefined` at the end of the row. */
  next(chain: number): Point | undefined;
  bounds(): { width: number; height: number };
};

export type LayoutOptions = {
  /** Thoughts per row. Default 10. */
  columns?: number;
  /** The number of pages side by side, which depends on the size of the session by default. */
  across?: number;
  /** IDs of folded branches. */
  folded?: ReadonlySet<string>;
};

type GrowingPage = Page & { thoughts: number[] };

/** The columns of a layout, and the data that they are filled from. */
type Cells = {
  readonly bands: Bands;
  readonly across: number;
  readonly pages: GrowingPage[];
  size: number;
  x: Float32Array;
  y: Float32Array;
  page: Int32Array;
  band: Int32Array;
  depth: Int32Array;
  lane: Uint8Array;
  column: Uint8Array;
  starts: Uint8Array;
  shown: Uint8Array;
};

const createCells = (bands: Bands, across: number, room: number): Cells => ({
  bands,
  across,
  pages: [],
  size: 0,
  x: new Float32Array(room),
  y: new Float32Array(room),
  page: new Int32Array(room),
  band: new Int32Array(room),
  depth: new Int32Array(room),
  lane: new Uint8Array(room),
  column: new Uint8Array(room),
  starts: new Uint8Array(room),
  shown: new Uint8Array(room),
});

function reserve(cells: Cells, length: number): void {
  if (length <= cells.x.length) return;
  const room = Math.max(length, cells.x.length * 2);
  cells.x = widen(cells.x, room);
  cells.y = widen(cells.y, room);
  cells.page = widen(cells.page, room);
  cells.band = widen(cells.band, room);
  cells.depth = widen(cells.depth, room);
  cells.lane = widen(cells.lane, room);
  cells.column = widen(cells.column, room);
  cells.starts = widen(cells.starts, room);
  cells.shown = widen(cells.shown, room);
}

/** Opens a page. In a single column, it starts below the used part of the previous page, whose height is final. */
function openPage({ bands, across, pages }: Cells, bandBefore: number): GrowingPage {
  const { geometry } = bands;
  const index = pages.length;
  if (across > 1) {
    const { pageWidth, pageHeight } = geometry;
    return { x: (index % across) * pageWidth, y: Math.floor(index / across) * pageHeight, thoughts: [] };
  }
  const before = pages.at(-1);
  const used = bandBefore < 0 ? 0 : geometry.top + bottomOf(bands, bandBefore) + geometry.gutter;
  return { x: 0, y: (before?.y ?? 0) + used, thoughts: [] };
}

function place(cells: Cells, i: number, chain: number, parent: number, isOver: boolean): void {
  const { bands, pages, depth, band, lane, column } = cells;
  const { columns: rowLength, mostLanes, left, top, pitchX, pitchY } = bands.geometry;
  const level = parent < 0 ? 0 : (depth[parent] as number) + 1;
  const at = level % rowLength;
  let slot = slotOfRun(bands, chain, at);
  if (slot < 0) {
    const before = parent < 0 ? NONE : (band[parent] as number) * mostLanes + (lane[parent] as number);
    slot = startRun(bands, chain, at, before, parent < 0 ? NONE : (column[parent] as number));
    cells.starts[i] = 1;
  }
  occupy(bands, slot, chain, at, isOver);
  const inBand = Math.floor(slot / mostLanes);
  const inLane = slot - inBand * mostLanes;
  const onPage = bands.page[inBand] as number;
  // This is the first band of a new page, so the band before it is the last one on the previous page.
  if (onPage === pages.length) pages.push(openPage(cells, inBand - 1));
  const sheet = pages[onPage] as GrowingPage;
  sheet.thoughts.push(i);
  depth[i] = level;
  cells.page[i] = onPage;
  band[i] = inBand;
  lane[i] = inLane;
  column[i] = at;
  cells.shown[i] = 1;
  cells.x[i] = sheet.x + left + at * pitchX;
  cells.y[i] = sheet.y + top + (bands.top[inBand] as number) + inLane * pitchY;
}

/** Gives a thought in a folded branch the position of another thought. */
function share({ x, y, page, band, depth, lane, column }: Cells, i: number, cell: number): void {
  for (const values of [x, y, page, band, depth, lane, column]) values[i] = values[cell] as number;
}

/** Lays out thoughts in rows (a snake), branches in lanes below forks, rows in pages. O(1) per thought. */
export function createLayout(columns: Columns, options: LayoutOptions = {}): Layout {
  const geometry = geometryOf(options.columns);
  const across = options.across ?? pagesAcross(columns.size);
  const folded = options.folded ?? new Set<string>();
  const isHidden: boolean[] = [];
  const bands = createBands(geometry);
  const cells = createCells(bands, across, Math.max(256, columns.size));
  const { pages } = cells;

  /** Returns the thought whose cell a folded thought shares, or `NONE` if a thought has its own cell. */
  function sharedCell(i: number): number {
    const index = columns.chain[i] as number;
    const chain = columns.chains[index];
    if (!chain || chain.fork < 0) return NONE;
    isHidden[index] ??=
      isHidden[chain.parentChain] === true || folded.has(columns.chains[chain.parentChain]?.id ?? "");
    if (isHidden[index]) return chain.fork;
    return folded.has(chain.id) && columns.place[i] !== 0 ? (chain.thoughts[0] ?? NONE) : NONE;
  }

  function extend(): void {
    const { size: count, chain, parent, type } = columns;
    reserve(cells, count);
    for (let i = cells.size; i < count; i++) {
      const cell = folded.size === 0 ? NONE : sharedCell(i);
      if (cell !== NONE) share(cells, i, cell);
      else place(cells, i, chain[i] as number, parent[i] as number, type[i] === REJECTED);
    }
    cells.size = count;
  }
  extend();

  return {
    geometry,
    across,
    folded,
    pages,
    get size() {
      return cells.size;
    },
    get x() {
      return cells.x;
    },
    get y() {
      return cells.y;
    },
    get page() {
      return cells.page;
    },
    get band() {
      return cells.band;
    },
    get lane() {
      return cells.lane;
    },
    get column() {
      return cells.column;
    },
    get depth() {
      return cells.depth;
    },
    get starts() {
      return cells.starts;
    },
    get shown() {
      return cells.shown;
    },
    extend,
    next(chain) {
      const tail = columns.chains[chain]?.thoughts.at(-1);
      if (tail === undefined || !cells.shown[tail]) return undefined;
      const at = (cells.column[tail] as number) + 1;
      if (at >= geometry.columns || slotOfRun(bands, chain, at) < 0) return undefined;
      return { x: (cells.x[tail] as number) + geometry.pitchX, y: cells.y[tail] as number };
    },
    bounds() {
      const count = Math.max(1, pages.length);
      const width = Math.min(across, count) * geometry.pageWidth;
      if (across > 1 && count > 1) return { width, height: Math.ceil(count / across) * geometry.pageHeight };
      const used = bands.size > 0 ? bottomOf(bands, bands.size - 1) : geometry.cardHeight;
      return { width, height: (pages.at(-1)?.y ?? 0) + geometry.top + used + geometry.bottom };
    },
  };
}
