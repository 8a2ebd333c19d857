import type { Polyline } from "../../model/layout/routes.ts";
import type { Camera } from "../camera.ts";

export type Surface = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** Adds a line with rounded corners to the current path. */
export function tracePolyline(surface: Surface, camera: Camera, points: Polyline, radius: number): void {
  const { x: left, y: top, zoom } = camera;
  const at = (k: number): number => ((points[k] as number) - (k % 2 === 0 ? left : top)) * zoom;
  surface.moveTo(at(0), at(1));
  for (let k = 2; k + 3 < points.length; k += 2) {
    const before = Math.abs(at(k) - at(k - 2) + at(k + 1) - at(k - 1)) / 2;
    const after = Math.abs(at(k + 2) - at(k) + at(k + 3) - at(k + 1)) / 2;
    surface.arcTo(at(k), at(k + 1), at(k + 2), at(k + 3), Math.min(radius, before, after));
  }
  surface.lineTo(at(points.length - 2), at(points.length - 1));
}

/** Returns a corner's radius in pixels. Corners shrink when zoomed out, but never exceed `radius`. */
export const cornerRadius = (camera: Camera, radius: number): number =>
  radius * Math.min(1, camera.zoom * 1.6);

/** Returns the first `share` of a line, to animate how it grows. */
export function beginningOf(points: Polyline, share: number): Polyline {
  let whole = 0;
  for (let k = 2; k < points.length; k += 2) whole += lengthAt(points, k);
  let left = whole * share;
  const part = points.slice(0, 2);
  for (let k = 2; k < points.length && left > 0; k += 2) {
    const length = lengthAt(points, k);
    const t = length === 0 ? 1 : Math.min(1, left / length);
    for (const axis of [0, 1]) {
      const from = points[k - 2 + axis] as number;
      part.push(from + ((points[k + axis] as number) - from) * t);
    }
    left -= length;
  }
  return part.length > 2 ? part : [...part, ...part];
}

const lengthAt = (points: Polyline, k: number): number =>
  Math.abs((points[k] as number) - (points[k - 2] as number)) +
  Math.abs((points[k + 1] as number) - (points[k - 1] as number));
