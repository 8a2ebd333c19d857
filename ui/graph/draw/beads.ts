import { type Scene, SHADE, shadeOf } from "../scene.ts";
import { TIER, type Tier } from "../tiers.ts";
import type { Surface } from "./polylines.ts";
import { FOLDED, SPRITE_PAD, type Sprites } from "./sprites.ts";

/**
 * Draws beads with a letter, or tiles with a letter and number. Returns whether the size of the drawn shapes
 * is only approximate.
 */
export function drawBeads(
  surface: Surface,
  scene: Scene,
  pages: readonly number[],
  tier: Tier,
  sprites: Sprites,
  density: number,
): boolean {
  const { layout, camera, theme, columns } = scene;
  const { x, y, geometry, folded } = layout;
  const width = geometry.cardWidth * camera.zoom;
  const height = geometry.cardHeight * camera.zoom;
  const scale = sprites.resize(theme, tier, width, height, density);
  const pad = SPRITE_PAD * scale;
  const numbered: number[] = [];
  for (const p of pages)
    for (const i of layout.pages[p]?.thoughts ?? []) {
      const left = ((x[i] as number) - camera.x) * camera.zoom;
      const top = ((y[i] as number) - camera.y) * camera.zoom;
      if (left + width < 0 || top + height < 0 || left > camera.width || top > camera.height) continue;
      let shade = shadeOf(scene, i);
      if (folded.size > 0 && shade !== SHADE.later) {
        const chain = columns.chains[columns.chain[i] as number];
        if (chain && folded.has(chain.id)) shade = FOLDED;
      }
      const picture = sprites.get(columns.type[i] as number, shade);
      surface.drawImage(
        picture,
        Math.round((left - pad) * density) / density,
        Math.round((top - pad) * density) / density,
        (picture.width / density) * scale,
        (picture.height / density) * scale,
      );
      if (tier === TIER.tile && shade < SHADE.later) numbered.push(i, shade, left, top);
    }
  if (numbered.length === 0) return scale !== 1;
  surface.textAlign = "center";
  surface.textBaseline = "middle";
  surface.font = `500 ${Math.round(Math.min(12, height * 0.32))}px ${theme.mono}`;
  for (let k = 0; k < numbered.length; k += 4) {
    const [i = 0, shade, left = 0, top = 0] = numbered.slice(k, k + 4);
    const ink = theme.ink[columns.type[i] as number] ?? theme.text;
    surface.fillStyle = shade === SHADE.strong ? ink : shade === SHADE.faint ? theme.text3 : theme.text;
    surface.fillText(String(columns.number[i]), left + width * 0.64, top + height / 2 + 0.5);
  }
  return scale !== 1;
}
