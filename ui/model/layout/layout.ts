import { type Columns, NONE } from "../columns.ts";
import { REJECTED } from "../thought-types.ts";
import { createBands } from "./bands.ts";
import { type Geometry, geometryOf, pagesAcross } from "./geometry.ts";
import { widen } from "./widen.ts";

export type Point = { x: number; y: number };

/** A sheet of bands: the unit of layout, culling and painting. */
export type Page = Point & {
  /** Thoughts with a cell of their own, in order of arrival. */
  readonly thoughts: readonly number[];
};

/** Where each thought of a session stands. Arrays are replaced when they grow: read them anew after `extend`. */
export type Layout = {
  readonly geometry: Geometry;
  readonly across: number;
  readonly folded: ReadonlySet<string>;
  readonly size: number;
  /** Left upper corner of each card, in world units. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly page: Int32Array;
  readonly band: Int32Array;
  readonly lane: Uint8Array;
  readonly column: Uint8Array;
  readonly depth: Int32Array;
  /** 1 where a run begins: a row, a branch, or a line that goes on elsewhere. */
  readonly starts: Uint8Array;
  /** 0 for thoughts of a folded branch behind its first, which share that one's cell. */
  readonly shown: Uint8Array;
  readonly pages: readonly Page[];
  /** Lanes of the band, for those who draw. */
  lanesOf(band: number): number;
  /** Places what arrived since the last call. */
  extend(): void;
  /** Where the next thought of a chain will stand if its row goes on; `undefined` at the end of a row. */
  next(chain: number): Point | undefined;
  bounds(): { width: number; height: number };
};

export type LayoutOptions = {
  /** Thoughts in a row. Default 10. */
  columns?: number;
  /** Pages side by side. Default by the size of the session. */
  across?: number;
  /** Ids of folded branches. */
  folded?: ReadonlySet<string>;
};

type GrowingPage = Page & { thoughts: number[] };

/** Snake layout: thoughts in rows, branches in lanes below their fork, rows stacked in pages. O(1) a thought. */
export function createLayout(columns: Columns, options: LayoutOptions = {}): Layout {
  const geometry = geometryOf(options.columns);
  const across = options.across ?? pagesAcross(columns.size);
  const folded = options.folded ?? new Set<string>();
  const bands = createBands(geometry);
  const pages: GrowingPage[] = [];
  const isHidden: boolean[] = [];
  let size = 0;
  let x = new Float32Array(256);
  let y = new Float32Array(256);
  let page = new Int32Array(256);
  let band = new Int32Array(256);
  let depth = new Int32Array(256);
  let lane = new Uint8Array(256);
  let column = new Uint8Array(256);
  let starts = new Uint8Array(256);
  let shown = new Uint8Array(256);

  function reserve(length: number): void {
    if (length <= x.length) return;
    const room = Math.max(length, x.length * 2);
    x = widen(x, room);
    y = widen(y, room);
    page = widen(page, room);
    band = widen(band, room);
    depth = widen(depth, room);
    lane = widen(lane, room);
    column = widen(column, room);
    starts = widen(starts, room);
    shown = widen(shown, room);
  }

  /** In one column pages follow each other by used height, which is final once the next page opens. */
  function openPage(): GrowingPage {
    const index = pages.length;
    if (across > 1) {
      const { pageWidth, pageHeight } = geometry;
      return { x: (index % across) * pageWidth, y: Math.floor(index / across) * pageHeight, thoughts: [] };
    }
    const before = pages.at(-1);
    const last = bands.list.findLast((other) => other.page < index);
    const used = last ? geometry.top + bands.bottomOf(last) + geometry.gutter : 0;
    return { x: 0, y: (before?.y ?? 0) + used, thoughts: [] };
  }

  let parent: number = NONE;
  const placeOfParent = () =>
    parent < 0
      ? undefined
      : { band: band[parent] as number, lane: lane[parent] as number, column: column[parent] as number };

  function place(i: number, chain: number, type: number): void {
    const level = parent < 0 ? 0 : (depth[parent] as number) + 1;
    const placed = bands.place(chain, level % geometry.columns, placeOfParent);
    const inBand = bands.list[placed.band];
    const pageIndex = inBand?.page ?? 0;
    while (pages.length <= pageIndex) pages.push(openPage());
    const sheet = pages[pageIndex] as GrowingPage;
    sheet.thoughts.push(i);
    depth[i] = level;
    page[i] = pageIndex;
    band[i] = placed.band;
    lane[i] = placed.lane;
    column[i] = placed.column;
    starts[i] = placed.starts ? 1 : 0;
    shown[i] = 1;
    x[i] = sheet.x + geometry.left + placed.column * geometry.pitchX;
    y[i] = sheet.y + geometry.top + (inBand?.top ?? 0) + placed.lane * geometry.pitchY;
    bands.setOver(chain, type === REJECTED);
  }

  function share(i: number, cell: number): void {
    for (const values of [x, y, page, band, depth, lane, column]) values[i] = values[cell] as number;
  }

  /** The cell that a thought of a folded branch shares; `NONE` for those that have their own. */
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
    const { size: count, chain, parent: parents, type } = columns;
    reserve(count);
    for (; size < count; size++) {
      const cell = folded.size === 0 ? NONE : sharedCell(size);
      parent = parents[size] as number;
      if (cell === NONE) place(size, chain[size] as number, type[size] as number);
      else share(size, cell);
    }
  }
  extend();

  return {
    geometry,
    across,
    folded,
    pages,
    get size() {
      return size;
    },
    get x() {
      return x;
    },
    get y() {
      return y;
    },
    get page() {
      return page;
    },
    get band() {
      return band;
    },
    get lane() {
      return lane;
    },
    get column() {
      return column;
    },
    get depth() {
      return depth;
    },
    get starts() {
      return starts;
    },
    get shown() {
      return shown;
    },
    lanesOf: (index) => bands.list[index]?.lanes.length ?? 0,
    extend,
    next(chain) {
      const run = bands.runOf(chain);
      const tail = columns.chains[chain]?.thoughts.at(-1);
      if (!run || tail === undefined || !shown[tail] || run.column + 1 >= geometry.columns) return undefined;
      const end = bands.list[run.band]?.lanes[run.lane];
      if (end?.chain !== chain || end.end !== run.column) return undefined;
      return { x: (x[tail] as number) + geometry.pitchX, y: y[tail] as number };
    },
    bounds() {
      const count = Math.max(1, pages.length);
      const width = Math.min(across, count) * geometry.pageWidth;
      const last = bands.list.at(-1);
      if (across > 1 && count > 1) return { width, height: Math.ceil(count / across) * geometry.pageHeight };
      const used = last ? bands.bottomOf(last) : geometry.cardHeight;
      return { width, height: (pages.at(-1)?.y ?? 0) + geometry.top + used + geometry.bottom };
    },
  };
}
