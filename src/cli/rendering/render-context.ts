import type { Paint } from "./colour.ts";

/** What everything that is drawn for people needs to know of where it is drawn. */
export type RenderContext = { width: number; paint: Paint; now: Date };

/** Longer lines are hard to read, however wide the window is. */
export const proseWidth = 100;
