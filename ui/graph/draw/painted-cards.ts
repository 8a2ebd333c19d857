import { STATE } from "../../model/beliefs.ts";
import { CONCLUSION } from "../../model/thought-types.ts";
import { screenX, screenY } from "../camera.ts";
import { faceOf } from "../cards/card-face.ts";
import type { Scene } from "../scene.ts";
import { BIG_CARDS } from "../tiers.ts";
import { mix } from "./colour.ts";
import type { Surface } from "./polylines.ts";

/** Paints cards on a canvas for exported pictures. These cards look like those in the page. */
export function paintCards(
  surface: Surface,
  scene: Scene,
  pages: readonly number[],
  toVisible: (text: string) => string,
): void {
  const { layout, camera } = scene;
  for (const p of pages)
    for (const i of layout.pages[p]?.thoughts ?? []) {
      const x = Math.round(screenX(camera, layout.x[i] as number));
      const y = Math.round(screenY(camera, layout.y[i] as number));
      if (x < -400 || y < -240 || x > camera.width || y > camera.height) continue;
      paintCard(surface, scene, i, x, y, toVisible);
    }
}

function paintCard(
  surface: Surface,
  scene: Scene,
  i: number,
  x: number,
  y: number,
  toVisible: (text: string) => string,
): void {
  const { theme, camera, columns, beliefs, layout } = scene;
  const width = Math.round(layout.geometry.cardWidth * camera.zoom);
  const height = Math.round(layout.geometry.cardHeight * camera.zoom);
  const isBig = camera.zoom >= BIG_CARDS;
  const state = beliefs.state[i];
  const type = columns.type[i] as number;
  const colour = theme.type[type] ?? theme.text3;
  const isStanding = state === STATE.believed;
  const isStrong = isStanding && type === CONCLUSION;
  const share = isStrong ? 0.24 : theme.isDark ? 0.1 : 0.07;
  surface.beginPath();
  surface.roundRect(x + 0.5, y + 0.5, width - 1, height - 1, isBig ? 8 : 6);
  surface.fillStyle = isStanding ? mix(theme.card, colour, share) : theme.canvas;
  surface.fill();
  surface.lineWidth = isStrong ? 1.5 : 1;
  surface.strokeStyle = isStrong
    ? colour
    : isStanding
      ? mix(theme.card, colour, theme.isDark ? 0.34 : 0.4)
      : theme.lineStrong;
  surface.stroke();
  if (state === STATE.later) return;
  const face = faceOf(scene, i, isBig, toVisible);
  const pad = isBig ? 10 : 6;
  const chip = isBig ? 16 : 13;
  const top = y + (isBig ? 8 : 3);
  const middle = top + (isBig ? 9 : 7.5);
  surface.beginPath();
  surface.roundRect(x + pad, middle - chip / 2, chip, chip, isBig ? 4 : 3);
  surface.fillStyle = colour;
  surface.strokeStyle = colour;
  if (isStanding) surface.fill();
  else surface.stroke();
  surface.textBaseline = "middle";
  surface.textAlign = "center";
  surface.fillStyle = isStanding ? (theme.ink[type] ?? theme.text) : theme.text2;
  surface.font = `700 ${isBig ? 10 : 9}px ${theme.mono}`;
  surface.fillText(face.letter, x + pad + chip / 2, middle + 0.5);
  surface.textAlign = "left";
  surface.fillStyle = isStanding ? theme.text : theme.text3;
  surface.font = `500 ${isBig ? 12 : 10.5}px ${theme.mono}`;
  surface.fillText(face.number, x + pad + chip + 6, middle + 0.5);
  if (state === STATE.replaced || state === STATE.rejected)
    surface.fillRect(x + pad + chip + 5, middle, surface.measureText(face.number).width + 2, 1);
  surface.textAlign = "right";
  surface.fillStyle = theme.text2;
  surface.font = `500 9.5px ${theme.mono}`;
  surface.fillText(face.hasCritique ? `❝ ${face.marks}` : face.marks, x + width - pad, middle + 0.5);
  surface.textAlign = "left";
  surface.fillStyle = isStanding ? theme.text : theme.text3;
  surface.font = `${isStrong ? 550 : 400} ${isBig ? 12.5 : 11}px ${theme.font}`;
  const line = isBig ? 16.5 : 13;
  const first = top + (isBig ? 23 : 15) + line / 2;
  const lines = Math.max(1, Math.floor((height - (isBig ? 38 : 18)) / line));
  const words = wrap(surface, face.before + face.match + face.after, width - 2 * pad, lines);
  for (const [k, text] of words.entries()) surface.fillText(text, x + pad, first + k * line);
}

/** Wraps text greedily. The last line ends with an ellipsis if there is more. */
function wrap(surface: Surface, text: string, width: number, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/[ \n]/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (surface.measureText(longer).width <= width) {
      line = longer;
      continue;
    }
    if (lines.length === most - 1) {
      while (line !== "" && surface.measureText(`${line}…`).width > width) line = line.slice(0, -1);
      return [...lines, `${line}…`];
    }
    if (line !== "") lines.push(line);
    line = word;
    while (line.length > 1 && surface.measureText(line).width > width) line = line.slice(0, -1);
  }
  return [...lines, line];
}
