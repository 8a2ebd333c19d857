/** Converts `#rrggbb` to three numbers from 0 to 255. */
export function partsOf(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1, 7), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** Mixes `share` of the second colour into the first. */
export function mix(first: string, second: string, share: number): string {
  const a = partsOf(first);
  const b = partsOf(second);
  const parts = a.map((part, k) => Math.round(part + ((b[k] ?? 0) - part) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * Packs a colour into a pixel of image data. Bytes are in little-endian order, as on every machine that runs a browser.
 */
export function packed(hex: string): number {
  const [red, green, blue] = partsOf(hex);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
