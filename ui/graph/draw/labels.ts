import { lastAt, STATE } from "../../model/beliefs.ts";
import { MAIN } from "../../model/columns.ts";
import { REJECTED } from "../../model/thought-types.ts";
import { screenX, screenY } from "../camera.ts";
import { isNow, type Scene } from "../scene.ts";
import { TIER, type Tier } from "../tiers.ts";
import type { Surface } from "./polylines.ts";

/** The lowest zoom at which names are shown. */
const NAMES_FROM = 0.48;

/**
 * Writes branch names above the first card of each run: `name` at the start, `… name` where it continues, and
 * `name from 12` if the fork is on another page.
 */
export function drawNames(
  surface: Surface,
  scene: Scene,
  pages: readonly number[],
  toVisible: (text: string) => string,
): void {
  const { layout, camera, theme, columns, beliefs } = scene;
  if (camera.zoom < NAMES_FROM) return;
  surface.textBaseline = "alphabetic";
  surface.textAlign = "left";
  surface.font = `500 9.5px ${theme.mono}`;
  for (const p of pages)
    for (const i of layout.pages[p]?.thoughts ?? []) {
      const c = columns.chain[i] as number;
      if (!layout.starts[i] || c === MAIN || beliefs.state[i] === STATE.later) continue;
      const chain = columns.chains[c];
      if (!chain || layout.folded.has(chain.id)) continue;
      const x = screenX(camera, layout.x[i] as number);
      const y = screenY(camera, layout.y[i] as number) - 3;
      if (x < -600 || y < -10 || x > camera.width || y > camera.height + 20) continue;
      const isFirst = chain.thoughts[0] === i;
      const isFar = isFirst && chain.fork >= 0 && layout.page[chain.fork] !== layout.page[i];
      const from = isFar ? ` from ${columns.number[chain.fork]}` : "";
      const name = `${isFirst ? "" : "… "}${shorten(toVisible(chain.id))}${from}`;
      surface.globalAlpha = scene.hits && !scene.hits.has(i) ? 0.35 : 1;
      surface.fillStyle = theme.canvas;
      surface.fillRect(x, y - 8, surface.measureText(name).width + 5, 10);
      surface.fillStyle = beliefs.state[i] === STATE.deadEnd ? theme.text3 : theme.text2;
      surface.fillText(name, x + 1, y);
    }
  surface.globalAlpha = 1;
}

const shorten = (name: string): string => (name.length > 40 ? `${name.slice(0, 39)}…` : name);

/** Draws a stop mark after each dead end and a final bar after a completed session. */
export function drawEnds(surface: Surface, scene: Scene, tier: Tier): void {
  const { layout, camera, theme, columns, beliefs } = scene;
  if (tier < TIER.tile) return;
  const { cardWidth, cardHeight } = layout.geometry;
  const place = (i: number): { x: number; y: number } | undefined => {
    const x = screenX(camera, (layout.x[i] as number) + cardWidth);
    const y = screenY(camera, (layout.y[i] as number) + cardHeight / 2);
    const isNear = x > -20 && y > -20 && x < camera.width + 20 && y < camera.height + 20;
    return isNear && layout.shown[i] ? { x, y } : undefined;
  };
  surface.strokeStyle = theme.type[REJECTED] ?? theme.edge;
  surface.globalAlpha = scene.hits || scene.types ? 0.35 : 1;
  surface.lineWidth = 1.5;
  for (let c = 1; c < columns.chains.length; c++) {
    const chain = columns.chains[c];
    if (beliefs.deadChain[c] !== 1 || !chain || layout.folded.has(chain.id)) continue;
    const at = place(lastAt(chain.thoughts, beliefs.moment));
    if (!at) continue;
    surface.beginPath();
    surface.moveTo(at.x + 1, at.y);
    surface.lineTo(at.x + 7, at.y);
    surface.moveTo(at.x + 7, at.y - 6);
    surface.lineTo(at.x + 7, at.y + 6);
    surface.stroke();
  }
  surface.globalAlpha = 1;
  const last = scene.isComplete && isNow(scene) ? columns.chains[MAIN]?.thoughts.at(-1) : undefined;
  const at = last === undefined ? undefined : place(last);
  if (!at) return;
  const half = Math.min(14, (cardHeight * camera.zoom) / 4);
  surface.fillStyle = theme.edgeMain;
  surface.fillRect(at.x, at.y - 0.875, 5, 1.75);
  surface.fillRect(at.x + 5, at.y - half, 1, 2 * half);
  surface.fillRect(at.x + 8, at.y - half, 3, 2 * half);
}
