import { NONE } from "../model/columns.ts";
import { createLayout } from "../model/layout/layout.ts";
import type { GraphOptions } from "./graph-options.ts";
import type { Scene } from "./scene.ts";
import { readTheme } from "./theme.ts";

export function createScene(host: Element, options: GraphOptions): Scene {
  const { columns, beliefs, folded } = options;
  return {
    columns,
    beliefs,
    layout: createLayout(columns, { columns: options.rowLength ?? 10, ...(folded && { folded }) }),
    theme: readTheme(host),
    camera: { x: 0, y: 0, zoom: 1, width: 0, height: 0 },
    selected: options.selected ?? NONE,
    related: options.related ?? new Set(),
    hits: options.hits,
    query: options.query ?? "",
    types: options.types,
    head: options.isLive ? columns.size - 1 : NONE,
    isThinking: options.isThinking ?? false,
    isComplete: options.isComplete ?? false,
    arriving: new Map(),
    version: 0,
  };
}
