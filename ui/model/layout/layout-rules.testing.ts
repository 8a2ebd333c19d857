import { type Columns, createColumns, MAIN, NONE } from "../columns.ts";
import type * as layouts from "./layout.ts";
import type * as routes from "./routes.ts";

/** The code under test: the real code, or a version with one rule broken. */
export type LayoutCode = Pick<typeof layouts, "createLayout"> &
  Pick<typeof routes, "routeEdge" | "routeRevision">;

/** Random choices for one thought, each within [0, 1). */
export type Dice = { fork: number; ancient: number; jump: number; pick: number; reject: number };
/** How often a session forks, forks from far back, and returns to another line. */
export type Style = { name: string; fork: number; ancient: number; jump: number };

export const STYLES: readonly Style[] = [
  { name: "line", fork: 0, ancient: 0, jump: 0 },
  { name: "agent", fork: 0.04, ancient: 0.1, jump: 0.05 },
  { name: "bushy", fork: 0.25, ancient: 0.3, jump: 0.3 },
  { name: "ancient", fork: 0.15, ancient: 1, jump: 0.5 },
  { name: "star", fork: 0.9, ancient: 1, jump: 0 },
];

/** Writes forks from recent or old thoughts, nested branches, and lines that resume after a long pause. */
export function writeLedger(dice: readonly Dice[], style: Style): Columns {
  const columns = createColumns(Math.max(1, dice.length));
  let current = MAIN;
  for (const [i, roll] of dice.entries()) {
    if (i > 0 && roll.fork < style.fork) {
      const back =
        roll.ancient < style.ancient ? Math.floor(roll.pick * i) : i - 1 - Math.floor(roll.pick * 12);
      current = columns.openChain(`branch ${i}`, Math.max(0, back));
    } else if (roll.jump < style.jump)
      current = roll.pick < 0.5 ? MAIN : Math.floor(roll.ancient * columns.chains.length);
    const line = columns.chains[current];
    columns.append({
      chain: current,
      number: i + 1,
      parent: line?.thoughts.at(-1) ?? line?.fork ?? NONE,
      type: roll.reject < 0.05 ? 8 : 0,
      revises: NONE,
      time: i,
    });
  }
  return columns;
}

/** Returns the first `size` thoughts of a session, as they arrived. */
function prefixOf(columns: Columns, size: number): Columns {
  const prefix = createColumns(Math.max(1, size));
  for (let i = 0; i < size; i++) {
    const line = columns.chains[columns.chain[i] ?? MAIN];
    const chain = prefix.openChain(line?.id ?? "", line?.fork ?? NONE);
    const [parent, type] = [columns.parent[i] ?? NONE, columns.type[i] ?? 0];
    prefix.append({ chain, number: i + 1, parent, type, revises: NONE, time: i });
  }
  return prefix;
}

/** Returns the first rule that the layout of this session breaks, or `undefined` if it breaks none. */
export function brokenRule(
  code: LayoutCode,
  columns: Columns,
  options: { columns: number; across: number },
): string | undefined {
  const L = code.createLayout(columns, options);
  const g = L.geometry;
  const n = columns.size;
  const X = (i: number) => L.x[i] as number;
  const Y = (i: number) => L.y[i] as number;
  const all = Array.from({ length: n }, (_, i) => i);

  const cells = new Set(all.map((i) => `${L.band[i]} ${L.lane[i]} ${L.column[i]}`));
  if (cells.size < n) return "two cards share a cell";
  for (const i of all) {
    const page = L.pages[L.page[i] as number];
    if (!page?.thoughts.includes(i)) return "a card is missing from its page";
    if (X(i) < page.x + g.left || X(i) + g.cardWidth > page.x + g.pageWidth - g.right + 0.01)
      return "a card is left or right of its page";
    if (Y(i) < page.y + g.top || Y(i) + g.cardHeight > page.y + g.top + g.pageRows + 0.01)
      return "a card is above or below its page";
    if (L.column[i] !== (L.depth[i] as number) % options.columns)
      return "a card's column does not match its depth";
    if (columns.chain[i] === MAIN && L.lane[i] !== 0) return "the main line left its lane";
    const parent = columns.parent[i] as number;
    if (parent < 0) continue;
    const [from, to] = [L.band[parent] as number, L.band[i] as number];
    const isRight = (L.column[i] as number) > (L.column[parent] as number);
    const isBelow = (L.lane[i] as number) >= (L.lane[parent] as number);
    if (!(to > from || (to === from && isRight && isBelow))) return "a thought is placed before its parent";
  }
  return tooClose(all, X, Y, g) ?? moved(code, columns, options, L) ?? crossing(code, columns, L, all);
}

/** Checks that neighbours in a row and in a column keep their gaps. Uses only positions, not cells. */
function tooClose(
  all: readonly number[],
  X: (i: number) => number,
  Y: (i: number) => number,
  g: layouts.Layout["geometry"],
): string | undefined {
  const byRow = all.toSorted((a, b) => Y(a) - Y(b) || X(a) - X(b));
  const byColumn = all.toSorted((a, b) => X(a) - X(b) || Y(a) - Y(b));
  for (let k = 1; k < all.length; k++) {
    const [a, b] = [byRow[k - 1] as number, byRow[k] as number];
    if (Y(a) === Y(b) && X(b) - X(a) < g.pitchX - 0.01) return "two cards of a row are too close";
    const [c, d] = [byColumn[k - 1] as number, byColumn[k] as number];
    if (X(c) === X(d) && Y(d) - Y(c) < g.pitchY - 0.01) return "two cards of a column are too close";
  }
  return undefined;
}

function moved(
  code: LayoutCode,
  columns: Columns,
  options: { columns: number; across: number },
  whole: layouts.Layout,
): string | undefined {
  for (const size of [Math.floor(columns.size / 3), Math.floor(columns.size / 2), columns.size - 1]) {
    const part = code.createLayout(prefixOf(columns, size), options);
    for (let i = 0; i < size; i++)
      if (part.x[i] !== whole.x[i] || part.y[i] !== whole.y[i]) return "a card moved when the session grew";
  }
  return undefined;
}

function crossing(
  code: LayoutCode,
  columns: Columns,
  L: layouts.Layout,
  all: readonly number[],
): string | undefined {
  const { cardWidth, cardHeight, gapY } = L.geometry;
  const crosses = (points: readonly number[]): boolean => {
    for (let s = 0; s + 3 < points.length; s += 2) {
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points.slice(s, s + 4);
      const [left, right] = [Math.min(x1, x2), Math.max(x1, x2)];
      const [top, bottom] = [Math.min(y1, y2), Math.max(y1, y2)];
      for (const i of all) {
        const [x, y] = [L.x[i] as number, L.y[i] as number];
        const overlapsX = left < x + cardWidth - 0.5 && right > x + 0.5;
        if (overlapsX && top < y + cardHeight - 0.5 && bottom > y + 0.5) return true;
      }
    }
    return false;
  };
  for (const i of all) {
    const parent = columns.parent[i] as number;
    const edge = parent < 0 ? undefined : code.routeEdge(L, parent, i);
    if (edge && crosses(edge)) return "a line crosses a card";
    if (i < 4 || i % 5 !== 0) continue;
    const link = code.routeRevision(L, i, (i * 31) % i === 0 ? (i >> 1) + 1 : (i * 7919) % i);
    if (link?.arcHeight === undefined && link && crosses(link.points)) return "a revision crosses a card";
    if ((link?.arcHeight ?? 0) > gapY) return "an arc is higher than the gap";
  }
  return undefined;
}
