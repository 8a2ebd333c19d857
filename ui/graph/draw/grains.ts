import { MAIN } from "../../model/columns.ts";
import { type Scene, SHADE, shadeOf } from "../scene.ts";
import type { Theme } from "../theme.ts";
import type { Surface } from "./polylines.ts";

/** Returns the colour of a thought in a view that is zoomed far out. */
export function grainColour(theme: Theme, type: number, shade: number): string {
  if (shade === SHADE.later) return theme.line;
  return (shade === SHADE.faint ? theme.faint[type] : theme.grain[type]) ?? theme.text3;
}

/** Like `grainColour`, but returns the colour at full strength, for small maps. */
export function markColour(theme: Theme, type: number, shade: number): string {
  const isFull = shade === SHADE.plain || shade === SHADE.strong;
  return (isFull ? theme.type[type] : undefined) ?? grainColour(theme, type, shade);
}

/** Draws bars without letters: full height for the main line, half for branches. Batched by colour. */
export function drawGrains(surface: Surface, scene: Scene, pages: readonly number[]): void {
  const { layout, camera, theme, columns } = scene;
  const { cardWidth, cardHeight } = layout.geometry;
  const { zoom } = camera;
  const width = Math.max(1, cardWidth * zoom);
  const height = Math.max(1, cardHeight * zoom);
  const thin = Math.max(1, height / 2);
  const groups = new Map<string, number[]>();
  for (const p of pages)
    for (const i of layout.pages[p]?.thoughts ?? []) {
      const colour = grainColour(theme, columns.type[i] as number, shadeOf(scene, i));
      const group = groups.get(colour);
      if (group) group.push(i);
      else groups.set(colour, [i]);
    }
  const { x, y } = layout;
  for (const [colour, group] of groups) {
    surface.fillStyle = colour;
    for (const i of group) {
      const left = ((x[i] as number) - camera.x) * zoom;
      const top = ((y[i] as number) - camera.y) * zoom;
      if (columns.chain[i] === MAIN) surface.fillRect(left, top, width, height);
      else surface.fillRect(left, top + (height - thin) / 2, width, thin);
    }
  }
}
