import { LOUDNESS, TYPES } from "../model/thought-types.ts";
import { mix } from "./draw/colour.ts";

/** The style sheet's colours in the form that the canvas needs. Lists are indexed by type code. */
export type Theme = {
  isDark: boolean;
  canvas: string;
  panel: string;
  card: string;
  line: string;
  lineStrong: string;
  control: string;
  text: string;
  text2: string;
  text3: string;
  edge: string;
  edgeMain: string;
  you: string;
  hit: string;
  mono: string;
  font: string;
  type: readonly string[];
  ink: readonly string[];
  /** Fill, letter and border of beads and tiles. */
  fill: readonly string[];
  letter: readonly string[];
  rim: readonly string[];
  /** Colours for thoughts in a view that is zoomed far out, and faint versions for dead ends. */
  grain: readonly string[];
  faint: readonly string[];
};

/** Expands a short colour such as `#fff` to `#ffffff`, because minified style sheets contain short ones. */
const longHex = (value: string): string =>
  /^#[\da-f]{3}$/i.test(value) ? `#${[...value.slice(1)].map((digit) => digit + digit).join("")}` : value;

export function readTheme(element: Element): Theme {
  const style = getComputedStyle(element);
  const token = (name: string): string => longHex(style.getPropertyValue(`--${name}`).trim());
  const isDark = style.colorScheme !== "light";
  const isLoud = matchMedia("(prefers-contrast: more)").matches;
  const type = [...TYPES].map((letter) => token(`t-${letter}`));
  const canvas = token("canvas");
  const card = token("card");
  const text = token("text");
  return {
    isDark,
    canvas,
    card,
    text,
    panel: token("panel"),
    line: token("line"),
    lineStrong: token("line-strong"),
    control: token("control"),
    text2: token("text-2"),
    text3: token("text-3"),
    edge: token("edge"),
    edgeMain: token("edge-main"),
    you: token("you"),
    hit: token("hit-ring"),
    mono: token("mono"),
    font: token("font"),
    type,
    ink: [...TYPES].map((letter) => token(`i-${letter}`)),
    fill: type.map((colour) => mix(card, colour, isDark ? 0.28 : 0.2)),
    letter: type.map((colour) => mix(colour, text, isDark ? 0.6 : 0.72)),
    rim: type.map((colour) => mix(card, colour, 0.55)),
    grain: type.map((colour, code) =>
      mix(canvas, colour, isLoud ? 1 : (LOUDNESS[code] ?? 1) * (isDark ? 1 : 0.95)),
    ),
    faint: type.map((colour) => mix(canvas, colour, isDark ? 0.26 : 0.28)),
  };
}

/** Reads the colours of a theme other than the page's, for exported pictures. */
export function readThemeNamed(host: Element, name: "dark" | "light"): Theme {
  const probe = document.createElement("div");
  probe.dataset["theme"] = name;
  probe.hidden = true;
  host.append(probe);
  const theme = readTheme(probe);
  probe.remove();
  return theme;
}
