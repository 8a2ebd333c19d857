import type { Beliefs } from "../model/beliefs.ts";
import type { Columns } from "../model/columns.ts";
import type { PictureOptions } from "./png.ts";
import type { Scene } from "./scene.ts";
import type { Tier } from "./tiers.ts";

/** State that the page controls. */
export type GraphState = Pick<
  Scene,
  "selected" | "related" | "hits" | "query" | "types" | "isThinking" | "isComplete"
> & {
  /** Whether the session is live. The newest thought of a live session is marked. */
  isLive: boolean;
  isFollowing: boolean;
  /** IDs of folded branches. */
  folded: ReadonlySet<string>;
  /** Thoughts per row: 10, or 5 on a narrow screen. */
  rowLength: number;
};

export type GraphEvents = {
  /** Called when the user selects a thought, or clears the selection (`NONE`) by clicking the background. */
  select(thought: number, isTouch: boolean): void;
  unfold(branch: string): void;
  /** Called when the user moves the view, so that the camera stops following. */
  stopFollowing(): void;
  /** Called if the text of cards in view is not loaded yet. */
  needWords(thoughts: readonly number[]): void;
  view(zoom: number, tier: Tier): void;
  /** Receives the script time of a frame in milliseconds. */
  frame?(duration: number): void;
};

export type GraphOptions = Partial<GraphState> & {
  columns: Columns;
  beliefs: Beliefs;
  events: GraphEvents;
  minimap?: HTMLCanvasElement;
  /** Makes characters visible that would hide or reorder text. */
  toVisible: (text: string) => string;
};

export type Graph = {
  update(change: Partial<GraphState>): void;
  /** Call this after thoughts or their text arrive, or after the beliefs change to another moment. */
  refresh(): void;
  /** Call this after the theme changes. */
  recolour(): void;
  /** Lays out the pages again and shows everything. */
  fit(): void;
  zoomTo(zoom: number): void;
  zoomBy(factor: number): void;
  /** Pans as little as needed to show a thought. Never zooms. */
  reveal(thought: number): void;
  centre(thought: number, zoom?: number): void;
  pan(dx: number, dy: number): void;
  turnPage(step: 1 | -1): void;
  /** Returns the nearest card in the rows below or above, or `NONE` at the edge. */
  beside(thought: number, direction: "below" | "above"): number;
  picture(options: PictureOptions): Promise<Blob>;
  destroy(): void;
};
