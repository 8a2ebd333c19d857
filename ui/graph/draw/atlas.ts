import { STATE } from "../../model/beliefs.ts";
import { MAIN } from "../../model/columns.ts";
import { routeEdge } from "../../model/layout/routes.ts";
import { TYPES } from "../../model/thought-types.ts";
import { type Scene, shadeOf } from "../scene.ts";
import type { Theme } from "../theme.ts";
import { packed } from "./colour.ts";
import { grainColour } from "./grains.ts";
import { createShades, fillSoftly, type Pixels } from "./pixels.ts";
import { sheetOf } from "./sheets.ts";

const SCALES = [0.06, 0.045, 0.036, 0.03, 0.02, 0.0125, 0.008, 0.005, 0.003];
const MOST_PIXELS = 3e6;
const LONGEST_SIDE = 16_000;
/** Never painted yet. */
const BLANK = 255;

/** One picture of the whole session: a frame from afar is a single blit, whatever the number of thoughts. */
export type Atlas = {
  /** Brings the picture up to date: only pages that look different are written again. */
  refresh(): AtlasPicture;
};
export type AtlasPicture = { image: CanvasImageSource; scale: number; width: number; height: number };

type Sheet = Pixels & {
  canvas: OffscreenCanvas;
  image: ImageData;
  scale: number;
  layout: Scene["layout"];
  theme: Theme;
  rows: number;
};

export function createAtlas(scene: Scene): Atlas {
  let sheet: Sheet | undefined;
  let bitmap: ImageBitmap | undefined;
  let seen = -1;
  let painted = new Uint8Array(0);
  let shades = createShades(scene.theme.panel);
  /** By type × 4 + shade. */
  let looks: Uint32Array[] = [];

  function prepare(): Sheet {
    const { layout, theme } = scene;
    const bounds = layout.bounds();
    const rows = layout.across === 1 ? bounds.height : Math.ceil(layout.pages.length / layout.across);
    if (sheet && sheet.layout === layout && sheet.theme === theme && sheet.rows >= rows) return sheet;
    const room =
      layout.across === 1 ? bounds.height * 1.25 : (rows + (rows > 2 ? 2 : 0)) * layout.geometry.pageHeight;
    const fits = (scale: number): boolean =>
      bounds.width * scale * room * scale < MOST_PIXELS &&
      Math.max(bounds.width, room) * scale < LONGEST_SIDE;
    const scale = SCALES.find(fits) ?? SCALES[SCALES.length - 1] ?? 0.003;
    const canvas = new OffscreenCanvas(Math.ceil(bounds.width * scale), Math.ceil(room * scale));
    const image = new ImageData(canvas.width, canvas.height);
    const data = new Uint32Array(image.data.buffer);
    data.fill(packed(theme.canvas));
    shades = createShades(theme.panel);
    looks = Array.from({ length: TYPES.length * 4 }, (_, k) => shades(grainColour(theme, k >> 2, k & 3)));
    painted = new Uint8Array(0);
    sheet = {
      canvas,
      image,
      data,
      width: canvas.width,
      height: canvas.height,
      scale,
      layout,
      theme,
      rows: layout.across === 1 ? room : rows + (rows > 2 ? 2 : 0),
    };
    return sheet;
  }

  /** Pages with a thought that looks different from when it was painted. */
  function changedPages(): Set<number> {
    const { layout, columns } = scene;
    if (painted.length < columns.size) {
      const wider = new Uint8Array(columns.size * 2).fill(BLANK);
      wider.set(painted);
      painted = wider;
    }
    const changed = new Set<number>();
    for (const [p, page] of layout.pages.entries())
      for (const i of page.thoughts) {
        const look = shadeOf(scene, i);
        if (painted[i] === look) continue;
        painted[i] = look;
        changed.add(p);
      }
    return changed;
  }

  function paintPage(target: Sheet, p: number): void {
    const { layout, columns, theme, beliefs } = scene;
    const { scale } = target;
    const { cardWidth, cardHeight } = layout.geometry;
    const box = sheetOf(layout, p);
    const ground = shades(theme.panel);
    fillSoftly(
      target,
      box.x * scale,
      box.y * scale,
      (box.x + box.width) * scale,
      (box.y + box.height) * scale,
      ground,
    );
    const height = cardHeight * scale;
    const line = shades(theme.edge)[3] ?? 0;
    for (const i of layout.pages[p]?.thoughts ?? []) {
      const from = columns.parent[i] as number;
      if (from >= 0 && columns.chain[from] !== columns.chain[i] && beliefs.state[i] !== STATE.deadEnd) {
        const route = routeEdge(layout, from, i);
        if (route && route.length === 8) {
          const x = Math.round((route[2] ?? 0) * scale);
          const end = Math.round((route[7] ?? 0) * scale);
          for (let y = Math.round((route[1] ?? 0) * scale); y <= end; y++)
            target.data[y * target.width + x] = line;
        }
      }
      const isMain = columns.chain[i] === MAIN;
      const x = (layout.x[i] as number) * scale;
      const y = (layout.y[i] as number) * scale + (isMain ? 0 : height / 4);
      const look = looks[(columns.type[i] as number) * 4 + (painted[i] as number)] ?? ground;
      fillSoftly(target, x, y, x + cardWidth * scale, y + (isMain ? height : height / 2), look);
    }
  }

  function refresh(): AtlasPicture {
    const target = prepare();
    if (seen !== scene.version || painted.length === 0) {
      seen = scene.version;
      const changed = changedPages();
      for (const p of changed) paintPage(target, p);
      if (changed.size > 0) {
        target.canvas.getContext("2d")?.putImageData(target.image, 0, 0);
        bitmap?.close();
        // Drawing from an OffscreenCanvas costs three times as much as from a bitmap; handing it over copies nothing.
        bitmap = target.canvas.transferToImageBitmap();
      }
    }
    return {
      image: bitmap ?? target.canvas,
      scale: target.scale,
      width: target.width,
      height: target.height,
    };
  }

  return { refresh };
}
