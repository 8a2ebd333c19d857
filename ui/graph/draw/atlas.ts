import { STATE } from "../../model/beliefs.ts";
import { MAIN } from "../../model/columns.ts";
import { routeEdge } from "../../model/layout/routes.ts";
import { TYPES } from "../../model/thought-types.ts";
import { type Scene, shadesOf } from "../scene.ts";
import type { Theme } from "../theme.ts";
import { packed } from "./colour.ts";
import { grainColour } from "./grains.ts";
import { createShades, fillSoftly, type Pixels } from "./pixels.ts";
import { sheetOf } from "./sheets.ts";

const SCALES = [0.06, 0.045, 0.036, 0.03, 0.02, 0.0125, 0.008, 0.005, 0.003];
const MOST_PIXELS = 3e6;
const LONGEST_SIDE = 16_000;
/** Stands for a thought that has not been painted yet. */
const BLANK = 255;

/** One picture of the whole session, so that a zoomed-out frame needs a single blit for any number of thoughts. */
export type Atlas = {
  /**
   * Updates the picture by repainting only the pages that changed. The first picture is only as large as it
   * is shown (`scale` pixels per world unit), because the user is waiting for it. If the user zooms in,
   * the picture is painted once more at the largest size allowed.
   */
  refresh(scale: number): AtlasPicture;
};
export type AtlasPicture = { image: CanvasImageSource; scale: number; width: number; height: number };

type Sheet = Pixels & {
  canvas: OffscreenCanvas;
  image: ImageData;
  scale: number;
  isSharpest: boolean;
  layout: Scene["layout"];
  theme: Theme;
  rows: number;
};

/** Compares the colours, because the theme is read again when fonts load, usually without a change. */
const isSame = (one: Theme, other: Theme): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

export function createAtlas(scene: Scene): Atlas {
  let sheet: Sheet | undefined;
  let bitmap: ImageBitmap | undefined;
  let seen = -1;
  let painted = new Uint8Array(0);
  let shades = createShades(scene.theme.panel);
  /** The colours of thoughts, indexed by type × 4 + shade. */
  let looks: Uint32Array[] = [];

  function prepare(wanted: number): Sheet {
    const { layout, theme } = scene;
    const bounds = layout.bounds();
    const rows = layout.across === 1 ? bounds.height : Math.ceil(layout.pages.length / layout.across);
    const isSharp = sheet !== undefined && (sheet.isSharpest || sheet.scale >= wanted);
    if (sheet && isSharp && sheet.layout === layout && sheet.rows >= rows && isSame(sheet.theme, theme)) {
      sheet.theme = theme;
      return sheet;
    }
    const room =
      layout.across === 1 ? bounds.height * 1.25 : (rows + (rows > 2 ? 2 : 0)) * layout.geometry.pageHeight;
    const fits = (scale: number): boolean =>
      bounds.width * scale * room * scale < MOST_PIXELS &&
      Math.max(bounds.width, room) * scale < LONGEST_SIDE;
    const sharpest = SCALES.find(fits) ?? SCALES[SCALES.length - 1] ?? 0.003;
    const isSharpest = wanted >= sharpest || (sheet !== undefined && !isSharp) || sheet?.isSharpest === true;
    const scale = isSharpest ? sharpest : Math.min(sharpest, Math.max(wanted, sheet?.scale ?? 0));
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
      isSharpest,
      layout,
      theme,
      rows: layout.across === 1 ? room : rows + (rows > 2 ? 2 : 0),
    };
    return sheet;
  }

  /** Returns the pages that contain a thought that has changed since it was painted. */
  function changedPages(): Set<number> {
    const { layout, columns } = scene;
    if (painted.length < columns.size) {
      const wider = new Uint8Array(columns.size * 2).fill(BLANK);
      wider.set(painted);
      painted = wider;
    }
    const now = shadesOf(scene);
    const { page, shown } = layout;
    const changed = new Set<number>();
    for (let i = 0; i < now.length; i++) {
      const look = now[i] as number;
      if (painted[i] === look || shown[i] === 0) continue;
      painted[i] = look;
      changed.add(page[i] as number);
    }
    return changed;
  }

  function paintPages(target: Sheet, changed: ReadonlySet<number>): void {
    const { layout, theme } = scene;
    // Read once, because each is a getter, and a session may have fifty thousand thoughts.
    const { parent, chain, type } = scene.columns;
    const { state } = scene.beliefs;
    const { pages, x, y, geometry } = layout;
    const { data, width: stride, scale } = target;
    const width = geometry.cardWidth * scale;
    const height = geometry.cardHeight * scale;
    const ground = shades(theme.panel);
    const line = shades(theme.edge)[3] ?? 0;
    for (const p of changed) {
      const box = sheetOf(layout, p);
      fillSoftly(
        target,
        box.x * scale,
        box.y * scale,
        (box.x + box.width) * scale,
        (box.y + box.height) * scale,
        ground,
      );
      const thoughts = pages[p]?.thoughts ?? [];
      for (let k = 0; k < thoughts.length; k++) {
        const i = thoughts[k] as number;
        const from = parent[i] as number;
        if (from >= 0 && chain[from] !== chain[i] && state[i] !== STATE.deadEnd) {
          const route = routeEdge(layout, from, i);
          if (route && route.length === 8) {
            const column = Math.round((route[2] ?? 0) * scale);
            const end = Math.round((route[7] ?? 0) * scale);
            for (let row = Math.round((route[1] ?? 0) * scale); row <= end; row++)
              data[row * stride + column] = line;
          }
        }
        const isMain = chain[i] === MAIN;
        const left = (x[i] as number) * scale;
        const top = (y[i] as number) * scale + (isMain ? 0 : height / 4);
        const look = looks[(type[i] as number) * 4 + (painted[i] as number)] ?? ground;
        fillSoftly(target, left, top, left + width, top + (isMain ? height : height / 2), look);
      }
    }
  }

  function refresh(wanted: number): AtlasPicture {
    const target = prepare(wanted);
    if (seen !== scene.version || painted.length === 0) {
      seen = scene.version;
      const changed = changedPages();
      if (changed.size > 0) {
        paintPages(target, changed);
        target.canvas.getContext("2d")?.putImageData(target.image, 0, 0);
        bitmap?.close();
        // Drawing from an OffscreenCanvas costs three times as much as from a bitmap. The transfer copies nothing.
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
