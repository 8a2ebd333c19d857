import { screenX, screenY } from "../camera.ts";
import { easeOut, RIPPLE } from "../motion.ts";
import { marksHead, type Scene } from "../scene.ts";
import { FAR, TIER, type Tier } from "../tiers.ts";
import type { Surface } from "./polylines.ts";

function drawRing(
  surface: Surface,
  scene: Scene,
  i: number,
  colour: string,
  width: number,
  gap: number,
): void {
  const { layout, camera } = scene;
  const { cardWidth, cardHeight } = layout.geometry;
  const x = screenX(camera, layout.x[i] as number) - gap;
  const y = screenY(camera, layout.y[i] as number) - gap;
  const w = cardWidth * camera.zoom + 2 * gap;
  const h = cardHeight * camera.zoom + 2 * gap;
  if (x + w < 0 || y + h < 0 || x > camera.width || y > camera.height) return;
  surface.beginPath();
  surface.roundRect(x, y, w, h, Math.min(6, h / 3));
  surface.strokeStyle = colour;
  surface.lineWidth = width;
  surface.stroke();
}

/**
 * Draws rings around hits, the thoughts the selection builds on, the selection and the head. Cards draw their own
 * rings.
 */
export function drawRings(surface: Surface, scene: Scene, tier: Tier): void {
  const { theme, hits, related, selected, head, camera } = scene;
  if (tier === TIER.card) return;
  const isFar = camera.zoom < FAR;
  if (hits) for (const i of hits) drawRing(surface, scene, i, theme.hit, isFar ? 1 : 1.5, isFar ? 1 : 2);
  if (!isFar) for (const i of related) drawRing(surface, scene, i, theme.text3, 1, 2);
  if (selected >= 0) drawRing(surface, scene, selected, theme.you, 2, 3);
  if (marksHead(scene)) drawRing(surface, scene, head, theme.you, 1.5, 4);
}

/** Draws a ripple around each thought that has just arrived. */
export function drawRipples(surface: Surface, scene: Scene, now: number): void {
  for (const [i, since] of scene.arriving) {
    if (i !== scene.head) continue;
    const share = easeOut((now - since) / RIPPLE);
    surface.globalAlpha = 0.6 * (1 - share);
    drawRing(surface, scene, i, scene.theme.you, 1.5, 3 + 12 * share);
    surface.globalAlpha = 1;
  }
}
