import type { Layout } from "../model/layout/layout.ts";
import { READABLE } from "./tiers.ts";

/** What the stage shows: the world point in its upper left corner, the zoom, and its size in CSS pixels. */
export type Camera = { x: number; y: number; zoom: number; width: number; height: number };
export type View = Pick<Camera, "x" | "y" | "zoom">;
export type Margins = { left: number; right: number; top: number; bottom: number };

export const LARGEST_ZOOM = 2;
const SMALLEST_ZOOM = 0.004;
/** A small session is not enlarged beyond this zoom. */
const LARGEST_FIT = 1.2;

export const screenX = (camera: Camera, x: number): number => (x - camera.x) * camera.zoom;
export const screenY = (camera: Camera, y: number): number => (y - camera.y) * camera.zoom;

export const clampZoom = (zoom: number): number => Math.min(LARGEST_ZOOM, Math.max(SMALLEST_ZOOM, zoom));

/** Zooms while keeping the world point at (`px`, `py`) in place. */
export function zoomedAt(camera: Camera, zoom: number, px: number, py: number): View {
  const next = clampZoom(zoom);
  return {
    zoom: next,
    x: camera.x + px / camera.zoom - px / next,
    y: camera.y + py / camera.zoom - py / next,
  };
}

/** Returns the pages that are at least partly in view. */
export function pagesInView(layout: Layout, camera: Camera): number[] {
  const { pages, across, geometry } = layout;
  const right = camera.x + camera.width / camera.zoom;
  const bottom = camera.y + camera.height / camera.zoom;
  const found: number[] = [];
  if (across === 1) {
    for (let p = 0; p < pages.length; p++) {
      const top = pages[p]?.y ?? 0;
      if (top < bottom && top + geometry.pageHeight > camera.y) found.push(p);
    }
    return found;
  }
  const firstColumn = Math.max(0, Math.floor(camera.x / geometry.pageWidth));
  const lastColumn = Math.min(across - 1, Math.floor(right / geometry.pageWidth));
  const firstRow = Math.max(0, Math.floor(camera.y / geometry.pageHeight));
  const lastRow = Math.min(Math.floor(bottom / geometry.pageHeight), Math.floor(pages.length / across));
  for (let row = firstRow; row <= lastRow; row++)
    for (let column = firstColumn; column <= lastColumn; column++) {
      const p = row * across + column;
      if (p < pages.length) found.push(p);
    }
  return found;
}

/**
 * Returns a view of the whole session, or of its full width from the top if `toWidth` is set. A single page
 * is shown without margins.
 */
export function fitted(layout: Layout, camera: Camera, margins: Margins, toWidth = false): View {
  const { geometry: g } = layout;
  const bounds = layout.bounds();
  const trims = toWidth || layout.pages.length <= 1;
  const x = trims ? g.left : 0;
  const y = trims ? g.top : 0;
  const width = bounds.width - (trims ? g.left + g.right : 0);
  const height = bounds.height - (trims ? g.top + g.bottom : 0);
  const roomX = camera.width - margins.left - margins.right;
  const roomY = camera.height - margins.top - margins.bottom;
  const zoom = clampZoom(Math.min(roomX / width, toWidth ? LARGEST_ZOOM : roomY / height, LARGEST_FIT));
  return {
    zoom,
    x: x - margins.left / zoom - (roomX / zoom - width) / 2,
    y: y - margins.top / zoom - (toWidth ? 0 : Math.max(0, (roomY / zoom - height) / 2)),
  };
}

/** Returns a view that centres a few thoughts and has room for the next one. The zoom is at most 100%. */
export function fittedFew(layout: Layout, camera: Camera, count: number, margins: Margins): View {
  const { geometry: g } = layout;
  const ends = (starts: ArrayLike<number>, size: number) =>
    Math.max(...Array.from({ length: count }, (_, i) => starts[i] ?? 0)) + size;
  const row = g.columns * g.pitchX - g.gapX;
  const width = count === 0 ? g.cardWidth : Math.min(row, ends(layout.x, g.cardWidth) + g.pitchX - g.left);
  const height = count === 0 ? g.cardHeight : ends(layout.y, g.cardHeight) - g.top;
  const roomX = camera.width - margins.left - margins.right;
  const roomY = camera.height - margins.top - margins.bottom;
  const zoom = clampZoom(Math.min(1, roomX / width, roomY / height));
  return {
    zoom,
    x: g.left - margins.left / zoom - (roomX / zoom - width) / 2,
    y: g.top - margins.top / zoom - (roomY / zoom - height) / 2,
  };
}

/**
 * Returns the view if it is zoomed in enough for cards with text. If not, returns a closer view of the
 * session's start.
 */
export function readable(view: View, { geometry: g }: Layout, margins: Margins): View {
  if (view.zoom >= READABLE) return view;
  return { zoom: READABLE, x: g.left - margins.left / READABLE, y: g.top - margins.top / READABLE };
}

/** Returns whether the whole session is on the stage. */
export function seesAll(camera: Camera, layout: Layout, count: number): boolean {
  const { geometry: g } = layout;
  const bounds = layout.bounds();
  const end = (starts: ArrayLike<number>, size: number) =>
    Math.max(0, ...Array.from({ length: count }, (_, i) => starts[i] ?? 0)) + size;
  const isOnePage = layout.pages.length <= 1;
  const right = isOnePage ? end(layout.x, g.cardWidth) : bounds.width - g.right;
  const bottom = isOnePage ? end(layout.y, g.cardHeight) : bounds.height - g.bottom;
  return (
    camera.x <= g.left &&
    camera.y <= g.top &&
    right <= camera.x + camera.width / camera.zoom &&
    bottom <= camera.y + camera.height / camera.zoom
  );
}

export type Box = { x: number; y: number; width: number; height: number };

/** Returns the nearest view that shows a box. `inset` is the share of the stage to keep free around it. */
export function brought(camera: Camera, box: Box, inset: number): View {
  const width = camera.width / camera.zoom;
  const height = camera.height / camera.zoom;
  const shift = (from: number, room: number, start: number, length: number): number => {
    const margin = Math.min(inset * room, Math.max(0, (room - length) / 2));
    if (start < from + margin) return start - margin;
    return start + length > from + room - margin ? start + length + margin - room : from;
  };
  return {
    zoom: camera.zoom,
    x: shift(camera.x, width, box.x, box.width),
    y: shift(camera.y, height, box.y, box.height),
  };
}

export function centredOn(camera: Camera, box: Box, zoom: number): View {
  return {
    zoom,
    x: box.x + box.width / 2 - camera.width / zoom / 2,
    y: box.y + box.height / 2 - camera.height / zoom / 2,
  };
}
