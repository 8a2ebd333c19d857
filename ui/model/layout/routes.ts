import type { Layout } from "./layout.ts";

/** A line as x, y, x, y … in world units. */
export type Polyline = number[];
/** An arc rises `arcHeight` above the cards between its first and last point. */
export type Route = { points: Polyline; arcHeight?: number };

/**
 * Routes a line from a thought to the next between cards. Returns `undefined` if the next starts a row or
 * page. The line then fades out to the right of the first thought and fades in from the left of the next.
 */
export function routeEdge(layout: Layout, from: number, to: number): Polyline | undefined {
  const { geometry: g, x, y, page, band, lane, column } = layout;
  if (page[from] !== page[to] || column[to] === 0) return undefined;
  const fromX = (x[from] as number) + g.cardWidth;
  const fromY = (y[from] as number) + g.cardHeight / 2;
  const toX = x[to] as number;
  const toY = (y[to] as number) + g.cardHeight / 2;
  if (band[from] === band[to] && lane[from] === lane[to]) return [fromX, fromY, toX, toY];
  // Lines from neighbouring lanes run side by side instead of overlapping.
  const gap = toX - g.gapX + 7 + 5 * ((lane[from] as number) % 3);
  return [fromX, fromY, gap, fromY, gap, toY, toX, toY];
}

/** Returns the link from a revision to the thought it replaces: an arc in a row, or a line through the gaps. */
export function routeRevision(layout: Layout, revision: number, target: number): Route | undefined {
  const { geometry: g, x, y, page, band, lane, column } = layout;
  if (page[revision] !== page[target]) return undefined;
  const fromX = (x[revision] as number) + g.cardWidth * 0.62;
  const toX = (x[target] as number) + g.cardWidth * 0.62;
  const fromY = y[revision] as number;
  const toY = y[target] as number;
  const fromColumn = column[revision] as number;
  const toColumn = column[target] as number;
  if (band[revision] === band[target] && lane[revision] === lane[target])
    return {
      points: [fromX, fromY, toX, toY],
      arcHeight: Math.min(20, 9 + 3 * Math.abs(fromColumn - toColumn)),
    };
  const above = fromY - 6 - 4 * (toColumn % 3);
  const below = toY + g.cardHeight + 6 + 4 * (fromColumn % 3);
  const gap = (x[target] as number) + g.cardWidth + 4 + 3 * (fromColumn % 3);
  const end = toY + g.cardHeight;
  if (Math.abs(above - below) < 0.5) return { points: [fromX, fromY, fromX, above, toX, above, toX, end] };
  return { points: [fromX, fromY, fromX, above, gap, above, gap, below, toX, below, toX, end] };
}
