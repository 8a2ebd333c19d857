import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/** WCAG 2.2 AA for every pair of colours in the interface, read from the style sheet itself. */
const css = readFileSync(join(import.meta.dirname, "..", "..", "ui", "styles", "tokens.css"), "utf8");

type Colour = readonly number[];
type Pair = { what: string; ratio: number; least: number };

const TEXT = 4.5;
const GRAPHIC = 3;
const TYPES = "OEQHACPRXN";

function coloursOf(theme: string): (name: string) => Colour {
  const block = css.split(`[data-theme="${theme}"] {`)[1]?.split("}")[0] ?? "";
  const found = new Map(
    [...block.matchAll(/--([\w-]+):\s*#([0-9a-f]{6});/gi)].map(([, name = "", hex = ""]) => [
      name,
      [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255),
    ]),
  );
  return (name) => {
    const colour = found.get(name);
    if (!colour) throw new Error(`tokens.css has no --${name} for ${theme}`);
    return colour;
  };
}

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const luminance = ([r = 0, g = 0, b = 0]: Colour): number =>
  0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const mix = (a: Colour, b: Colour, share: number): Colour =>
  a.map((part, k) => part * (1 - share) + (b[k] ?? 0) * share);

function contrast(a: Colour, b: Colour): number {
  const [dark = 0, bright = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (bright + 0.05) / (dark + 0.05);
}

function pairsOf(theme: "dark" | "light"): Pair[] {
  const colour = coloursOf(theme);
  const isDark = theme === "dark";
  const pairs: Pair[] = [];
  const need = (what: string, front: Colour, ground: Colour, least: number): void => {
    pairs.push({ what, ratio: contrast(front, ground), least });
  };
  for (const ground of ["canvas", "panel", "card", "raised", "hover"]) {
    for (const ink of ["text", "text-2", "text-3", "you", "ok", "warn", "bad"])
      need(`${ink} on ${ground}`, colour(ink), colour(ground), TEXT);
    need(`border of a control on ${ground}`, colour("control"), colour(ground), GRAPHIC);
  }
  need("ink button", colour("you-ink"), colour("you"), TEXT);
  need("search mark", colour("hit-ink"), colour("hit"), TEXT);
  need("added words", colour("add-text"), colour("add"), TEXT);
  need("removed words", colour("del-text"), colour("del"), TEXT);
  for (const ground of ["canvas", "panel"])
    for (const line of ["edge", "edge-main"])
      need(`${line} on ${ground}`, colour(line), colour(ground), GRAPHIC);
  for (const letter of TYPES) {
    const fill = colour(`t-${letter}`);
    const card = mix(colour("card"), fill, isDark ? 0.1 : 0.07);
    const bead = mix(colour("card"), fill, isDark ? 0.28 : 0.2);
    for (const ground of ["canvas", "panel", "card"])
      need(`${letter} on ${ground}`, fill, colour(ground), GRAPHIC);
    need(`letter ${letter} on its colour`, colour(`i-${letter}`), fill, TEXT);
    for (const ink of ["text", "text-2", "text-3"])
      need(`${ink} on a card of ${letter}`, colour(ink), card, TEXT);
    need(`letter of a bead of ${letter}`, mix(fill, colour("text"), isDark ? 0.6 : 0.72), bead, TEXT);
    need(`number of a tile of ${letter}`, colour("text"), bead, TEXT);
  }
  const conclusion = mix(colour("card"), colour("t-C"), 0.24);
  for (const ink of ["text", "text-2"]) need(`${ink} on a conclusion`, colour(ink), conclusion, TEXT);
  for (const ink of ["text", "text-2", "text-3"])
    need(`${ink} on select`, colour(ink), colour("select"), TEXT);
  need("faded words on a panel", colour("text-3"), colour("panel"), TEXT);
  need("ring of a search hit on canvas", colour("hit-ring"), colour("canvas"), GRAPHIC);
  return pairs;
}

describe("contrast", () => {
  test("black on white is 21 to 1", () => {
    expect(contrast([0, 0, 0], [1, 1, 1])).toBeCloseTo(21);
  });

  test.each(["dark", "light"] as const)("every pair of the %s theme meets WCAG AA", (theme) => {
    const pairs = pairsOf(theme);
    expect(pairs.length).toBeGreaterThanOrEqual(144);
    expect(pairs.filter(({ ratio, least }) => ratio < least)).toEqual([]);
  });
});

test("both themes name the same tokens", () => {
  const names = (theme: string) =>
    [...(css.split(`[data-theme="${theme}"] {`)[1]?.split("}")[0] ?? "").matchAll(/--([\w-]+):/g)].map(
      ([, name]) => name,
    );
  expect(names("light").length).toBeGreaterThan(40);
  expect(names("light").sort()).toEqual(names("dark").sort());
});
