/** `#rrggbb` as three parts of 0 to 255. */
export function partsOf(hex: string): [number, number, number] {
  const value = Number.parseInt(hex.slice(1, 7), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** `share` of the second colour in the first. */
export function mix(first: string, second: string, share: number): string {
  const a = partsOf(first);
  const b = partsOf(second);
  const parts = a.map((part, k) => Math.round(part + ((b[k] ?? 0) - part) * share));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** As image data wants it on little-endian machines, which are all that browsers run on. */
export function packed(hex: string): number {
  const [red, green, blue] = partsOf(hex);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
