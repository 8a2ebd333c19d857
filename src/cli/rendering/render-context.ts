import { toTerminal } from "../../kernel/text.ts";

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

/** Adds colours, each preceded by this mark (see `toScreen`). If there is no mark, returns text unchanged. */
export function createPaint(mark: string | undefined): Paint {
  const entries = Object.entries(codes).map(([name, [on, off]]) => [
    name,
    mark !== undefined
      ? (text: string) => (text === "" ? "" : `\x1b${mark}[${on}m${text}\x1b${mark}[${off}m`)
      : (text: string) => text,
  ]);
  return Object.fromEntries(entries) as Paint;
}

/** What rendering for people needs to know about the terminal. */
export type RenderContext = {
  width: number;
  paint: Paint;
  now: Date;
  /** Leaves out hints, for scripts. */
  quiet?: boolean;
  /** What the person typed to choose the store. Hints repeat it. */
  place?: Place;
};

/** Typed values of the options that choose the store, the project and the workspace. */
export type Place = Readonly<Partial<Record<"data-dir" | "project" | "workspace", string>>>;

/** The maximum width of prose, in columns. Longer lines are hard to read, even in a wide window. */
export const proseWidth = 100;

const escapeCharacter = "\x1b";

/**
 * Prepares all output of a command for the screen. Colours that `createPaint` marked pass through. Stored text cannot
 * know the mark, so its escape characters are made visible.
 */
export function toScreen(text: string, mark: string | undefined): string {
  if (mark === undefined) return toTerminal(text);
  return text
    .split(escapeCharacter + mark)
    .map((part, index) => (index === 0 ? toTerminal(part) : escapeCharacter + toTerminal(part)))
    .join("");
}
