import { NONE } from "../model/columns.ts";
import type { Layout } from "../model/layout/layout.ts";
import { type Camera, pagesInView } from "./camera.ts";

/**
 * Returns the thought at a point of the stage, or `NONE` between cards. If the view is zoomed far out, a
 * point near a card is enough.
 */
export function thoughtAt(layout: Layout, camera: Camera, px: number, py: number): number {
  const x = px / camera.zoom + camera.x;
  const y = py / camera.zoom + camera.y;
  const { cardWidth, cardHeight } = layout.geometry;
  const slack = Math.min(10, 3 / camera.zoom);
  for (const p of pagesInView(layout, camera))
    for (const i of layout.pages[p]?.thoughts ?? []) {
      const left = (layout.x[i] as number) - slack;
      const top = (layout.y[i] as number) - slack;
      if (x >= left && x <= left + cardWidth + 2 * slack && y >= top && y <= top + cardHeight + 2 * slack)
        return i;
    }
  return NONE;
}

/** Returns the nearest card in the rows below or above, or `NONE` at the edge. */
export function cardBeside(
  layout: Layout,
  from: number,
  direction: "below" | "above",
  until: number,
): number {
  const step = direction === "below" ? 1 : -1;
  const home = layout.page[from] as number;
  const pages = [home, home + step * layout.across];
  if (layout.across > 1) pages.push(home + step);
  for (const p of pages) {
    let best = NONE;
    let bestRow = Number.POSITIVE_INFINITY;
    let bestSide = Number.POSITIVE_INFINITY;
    for (const i of layout.pages[p]?.thoughts ?? []) {
      if (i > until) continue;
      const isHome = p === home;
      const row = ((layout.y[i] as number) - (layout.y[from] as number)) * step;
      if (isHome && row <= 0) continue;
      const side = Math.abs((layout.column[i] as number) - (layout.column[from] as number));
      if (row > bestRow || (row === bestRow && side >= bestSide)) continue;
      best = i;
      bestRow = row;
      bestSide = side;
    }
    if (best !== NONE) return best;
  }
  return NONE;
}
