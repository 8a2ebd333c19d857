import { pagesInView, screenX, screenY } from "./camera.ts";
import { type Atlas, createAtlas } from "./draw/atlas.ts";
import { drawBeads } from "./draw/beads.ts";
import { drawEdges, drawExpectation, drawPath } from "./draw/edges.ts";
import { drawGrains } from "./draw/grains.ts";
import { drawEnds, drawNames } from "./draw/labels.ts";
import type { Surface } from "./draw/polylines.ts";
import { drawRevisions } from "./draw/revisions.ts";
import { drawRings, drawRipples } from "./draw/rings.ts";
import { drawSheets } from "./draw/sheets.ts";
import { createSprites } from "./draw/sprites.ts";
import type { Scene } from "./scene.ts";
import { FAR, TIER, type Tier, tierOf } from "./tiers.ts";

export type Frame = {
  readonly atlas: Atlas;
  /** Draws everything but the cards, and returns what is in view. */
  draw(surface: Surface, density: number, now: number): Drawn;
};

/** A rough frame uses pictures made for a slightly different zoom, so another frame should follow. */
export type Drawn = { tier: Tier; pages: readonly number[]; isRough: boolean };

/** Culls pages, chooses the tier and draws. */
export function createFrame(scene: Scene, toVisible: (text: string) => string): Frame {
  const atlas = createAtlas(scene);
  const sprites = createSprites();

  function drawFromAfar(surface: Surface, density: number): void {
    const { camera } = scene;
    const picture = atlas.refresh(camera.zoom * density);
    const ratio = camera.zoom / picture.scale;
    // Copies only the part in view, so that the cost depends on the screen and not on the session.
    const left = Math.max(0, camera.x * picture.scale);
    const top = Math.max(0, camera.y * picture.scale);
    const width = Math.min(picture.width, (camera.x + camera.width / camera.zoom) * picture.scale) - left;
    const height = Math.min(picture.height, (camera.y + camera.height / camera.zoom) * picture.scale) - top;
    if (width <= 0 || height <= 0) return;
    surface.imageSmoothingEnabled = ratio < 1;
    surface.imageSmoothingQuality = "low";
    surface.drawImage(
      picture.image,
      left,
      top,
      width,
      height,
      left * ratio + screenX(camera, 0),
      top * ratio + screenY(camera, 0),
      width * ratio,
      height * ratio,
    );
    surface.imageSmoothingEnabled = true;
  }

  function draw(surface: Surface, density: number, now: number): Drawn {
    const { camera, theme, layout } = scene;
    surface.setTransform(density, 0, 0, density, 0, 0);
    surface.fillStyle = theme.canvas;
    surface.fillRect(0, 0, camera.width, camera.height);
    const tier = tierOf(camera.zoom);
    const pages = pagesInView(layout, camera);
    if (camera.zoom < FAR) {
      drawFromAfar(surface, density);
      drawSheets(surface, scene, pages, tier, true);
      drawRings(surface, scene, tier);
      return { tier, pages, isRough: false };
    }
    drawSheets(surface, scene, pages, tier, false);
    surface.globalAlpha = scene.hits || scene.types ? 0.35 : 1;
    drawEdges(surface, scene, pages, tier, now);
    surface.globalAlpha = 1;
    if (scene.selected >= 0 && tier > TIER.grain) drawPath(surface, scene, pages, tier);
    drawRevisions(surface, scene, pages, tier);
    let isRough = false;
    if (tier === TIER.grain) drawGrains(surface, scene, pages);
    else if (tier < TIER.card) isRough = drawBeads(surface, scene, pages, tier, sprites, density);
    drawRings(surface, scene, tier);
    drawRipples(surface, scene, now);
    drawNames(surface, scene, pages, toVisible);
    drawEnds(surface, scene, tier);
    if (tier >= TIER.tile) drawExpectation(surface, scene, tier);
    return { tier, pages, isRough };
  }

  return { atlas, draw };
}
