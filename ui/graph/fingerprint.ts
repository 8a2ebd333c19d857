import { fingerprint } from "../model/fingerprint.ts";
import { PROSE, USER } from "../model/thought-types.ts";
import type { Theme } from "./theme.ts";

/** Draws a session's types in order as coloured bars, as wide and high as the canvas is on the page. */
export function drawFingerprint(
  canvas: HTMLCanvasElement,
  types: ArrayLike<number>,
  count: number,
  theme: Theme,
): void {
  const density = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  const surface = canvas.getContext("2d");
  if (!surface) return;
  surface.scale(density, density);
  const { step, bars } = fingerprint(types, count, width);
  const isProse = bars.every((type) => type === PROSE || type === USER);
  for (const [k, type] of bars.entries()) {
    surface.fillStyle = type === USER ? theme.you : (theme.type[type] ?? theme.text3);
    // Prose gets low bars, so that requests stand out.
    const low = isProse && type === PROSE;
    surface.fillRect(
      k * step,
      low ? 0.28 * height : 0,
      Math.max(1, step - 0.6),
      low ? 0.44 * height : height,
    );
  }
}
