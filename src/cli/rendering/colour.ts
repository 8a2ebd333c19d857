const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Colour = keyof typeof codes;
export type Paint = Readonly<Record<Colour, (text: string) => string>>;

/** Colours for a terminal that knows them by this mark (see `toScreen`); without one, the same text. */
export function createPaint(mark: string | undefined): Paint {
  const entries = Object.entries(codes).map(([name, [on, off]]) => [
    name,
    mark !== undefined
      ? (text: string) => (text === "" ? "" : `\x1b${mark}[${on}m${text}\x1b${mark}[${off}m`)
      : (text: string) => text,
  ]);
  return Object.fromEntries(entries) as Paint;
}
