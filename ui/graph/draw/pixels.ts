import { mix, packed } from "./colour.ts";

export type Pixels = { data: Uint32Array; width: number; height: number };

/** A colour blended over the background in five steps. */
export type Shades = (colour: string) => Uint32Array;

export function createShades(ground: string): Shades {
  const known = new Map<string, Uint32Array>();
  return (colour) => {
    const found = known.get(colour);
    if (found) return found;
    const made = Uint32Array.from([0, 0.25, 0.5, 0.75, 1], (share) => packed(mix(ground, colour, share)));
    known.set(colour, made);
    return made;
  };
}

/** Fills whole rows with soft left and right edges, at least one row high. */
export function fillSoftly(
  { data, width, height }: Pixels,
  left: number,
  top: number,
  right: number,
  bottom: number,
  shades: Uint32Array,
): void {
  const first = Math.floor(left);
  const last = Math.floor(right);
  const cover = Math.round((1 - (left - first)) * 4);
  const rest = Math.round((right - last) * 4);
  const full = shades[4] as number;
  const start = Math.max(0, Math.round(top));
  const end = Math.min(height, Math.max(start + 1, Math.round(bottom)));
  for (let y = start; y < end; y++) {
    const row = y * width;
    if (cover > 0 && first >= 0) data[row + first] = shades[cover] as number;
    // For the few pixels of a card, calling fill costs more than a loop.
    if (last - first > 64) data.fill(full, row + first + 1, row + Math.min(last, width));
    else for (let x = first + 1; x < last && x < width; x++) data[row + x] = full;
    if (rest > 0 && last < width && last > first) data[row + last] = shades[rest] as number;
  }
}
