import { MAIN } from "../../model/columns.ts";
import type { Layout } from "../../model/layout/layout.ts";
import { type Box, screenX, screenY } from "../camera.ts";
import type { Scene } from "../scene.ts";
import { TIER, type Tier } from "../tiers.ts";
import type { Surface } from "./polylines.ts";

/** Returns the box of the sheet that a page is drawn on. */
export function sheetOf(layout: Layout, p: number): Box {
  const { geometry: g, pages, across } = layout;
  const page = pages[p] ?? { x: 0, y: 0 };
  const next = across === 1 ? (pages[p + 1]?.y ?? layout.bounds().height) - page.y : g.pageHeight;
  return { x: page.x + 30, y: page.y + 24, width: g.pageWidth - 60, height: next - 48 };
}

/**
 * Returns the first main-line thought on these pages. A page may have no main-line thought, because branches
 * can fill it.
 */
function firstOfMain({ layout, columns }: Scene, from: number, to: number): number | undefined {
  for (let p = from; p <= to; p++) {
    const first = layout.pages[p]?.thoughts.find((i) => columns.chain[i] === MAIN);
    if (first !== undefined) return first;
  }
  return undefined;
}

const counted = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ",");

/**
 * Draws sheets with the number of their first main-line thought. If the view is zoomed very far out, draws
 * one number per row.
 */
export function drawSheets(
  surface: Surface,
  scene: Scene,
  pages: readonly number[],
  tier: Tier,
  numbersOnly: boolean,
): void {
  const { layout, camera, theme, columns } = scene;
  if (layout.pages.length < 2 || tier > TIER.bead) return;
  const { top, left } = layout.geometry;
  const hasRoom = top * camera.zoom >= 11;
  surface.font = `500 10px ${theme.mono}`;
  surface.textBaseline = "alphabetic";
  for (const p of pages) {
    const isNumbered = hasRoom || p % layout.across === 0;
    if (numbersOnly && !isNumbered) continue;
    const box = sheetOf(layout, p);
    const x = screenX(camera, box.x);
    const width = box.width * camera.zoom;
    const height = box.height * camera.zoom;
    if (!numbersOnly) {
      surface.fillStyle = theme.panel;
      surface.beginPath();
      surface.roundRect(x, screenY(camera, box.y), width, height, Math.min(8, width * 0.03));
      surface.fill();
    }
    if (!isNumbered) continue;
    const page = layout.pages[p];
    const first = firstOfMain(scene, p, hasRoom ? p : p + layout.across - 1);
    if (!page || first === undefined) continue;
    const number = counted(columns.number[first] ?? 0);
    const y = screenY(camera, page.y + top);
    surface.fillStyle = theme.text3;
    if (hasRoom) {
      surface.textAlign = "left";
      surface.fillText(number, screenX(camera, page.x + left), y - 4);
    } else if (height > 12) {
      surface.textAlign = "right";
      surface.fillText(number, Math.max(40, x - 6), y + 9);
    }
  }
}
