import { FAMILIES, typeCode } from "../model/thought-types.ts";
import { fitted } from "./camera.ts";
import { paintCards } from "./draw/painted-cards.ts";
import type { Surface } from "./draw/polylines.ts";
import { createFrame } from "./frame.ts";
import type { Scene } from "./scene.ts";
import { readThemeNamed } from "./theme.ts";
import { TIER } from "./tiers.ts";

export type PictureOptions = {
  title: string;
  /** The picture's theme, light by default. */
  theme?: "dark" | "light";
  /** The current view, or the whole session. */
  extent: "view" | "whole";
};

const DENSITY = 2;
const HEAD = 48;
const FOOT = 40;
const SIDE = 24;
/** The longest canvas side in pixels that every browser accepts. */
const LONGEST = 8000;

/** Returns the graph as a PNG with the title above and the legend below. */
export async function paintPicture(
  scene: Scene,
  host: Element,
  toVisible: (text: string) => string,
  { title, theme = "light", extent }: PictureOptions,
): Promise<Blob> {
  const camera = { ...scene.camera };
  const still: Scene = {
    ...scene,
    camera,
    arriving: new Map(),
    theme: readThemeNamed(host, theme),
    isThinking: false,
  };
  if (extent === "whole") {
    const { width, height } = still.layout.bounds();
    const ideal = Math.min(
      1,
      LONGEST / DENSITY / width,
      LONGEST / DENSITY / height,
      Math.sqrt(6e6 / (width * height)),
    );
    camera.width = Math.ceil(width * ideal);
    camera.height = Math.ceil(height * ideal);
    Object.assign(camera, fitted(still.layout, camera, { left: SIDE, right: SIDE, top: 12, bottom: 12 }));
  }
  const wide = Math.max(480, camera.width);
  const canvas = new OffscreenCanvas(wide * DENSITY, (camera.height + HEAD + FOOT) * DENSITY);
  const graph = new OffscreenCanvas(camera.width * DENSITY, camera.height * DENSITY);
  const surface = graph.getContext("2d") as OffscreenCanvasRenderingContext2D;
  const { tier, pages } = createFrame(still, toVisible).draw(surface, DENSITY, 0);
  if (tier === TIER.card) paintCards(surface, still, pages, toVisible);
  const sheet = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
  sheet.scale(DENSITY, DENSITY);
  sheet.fillStyle = still.theme.canvas;
  sheet.fillRect(0, 0, wide, camera.height + HEAD + FOOT);
  sheet.drawImage(graph, (wide - camera.width) / 2, HEAD, camera.width, camera.height);
  sheet.textBaseline = "middle";
  sheet.fillStyle = still.theme.text;
  sheet.font = `600 15px ${still.theme.font}`;
  sheet.fillText(toVisible(title), SIDE, HEAD / 2, wide - 2 * SIDE);
  paintLegend(sheet, still, HEAD + camera.height + FOOT / 2);
  return canvas.convertToBlob({ type: "image/png" });
}

function paintLegend(surface: Surface, { theme }: Scene, y: number): void {
  let x = SIDE;
  for (const { name, types } of FAMILIES) {
    surface.textAlign = "left";
    surface.font = `400 11px ${theme.font}`;
    surface.fillStyle = theme.text3;
    surface.fillText(name, x, y);
    x += surface.measureText(name).width + 7;
    for (const letter of types) {
      const code = typeCode(letter);
      surface.fillStyle = theme.type[code] ?? theme.text3;
      surface.beginPath();
      surface.roundRect(x, y - 6.5, 13, 13, 3);
      surface.fill();
      surface.fillStyle = theme.ink[code] ?? theme.text;
      surface.font = `700 9px ${theme.mono}`;
      surface.textAlign = "center";
      surface.fillText(letter, x + 6.5, y + 0.5);
      x += 18;
    }
    x += 10;
  }
}
