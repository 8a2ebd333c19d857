import type { Beliefs } from "../model/beliefs.ts";
import type { Columns } from "../model/columns.ts";
import type { PictureOptions } from "./png.ts";
import type { Scene } from "./scene.ts";
import type { Tier } from "./tiers.ts";

/** What the page decides. */
export type GraphState = Pick<
  Scene,
  "selected" | "related" | "hits" | "query" | "types" | "isThinking" | "isComplete"
> & {
  /** The session is live: its newest thought is marked. */
  isLive: boolean;
  isFollowing: boolean;
  /** Ids of folded branches. */
  folded: ReadonlySet<string>;
  /** Thoughts in a row: 10, or 5 on a narrow screen. */
  rowLength: number;
};

export type GraphEvents = {
  /** A thought was chosen, `NONE` when the ground was. */
  select(thought: number, isTouch: boolean): void;
  unfold(branch: string): void;
  /** The hand took over: the camera no longer follows. */
  stopFollowing(): void;
  /** Cards are in view whose words have not come yet. */
  needWords(thoughts: readonly number[]): void;
  view(zoom: number, tier: Tier): void;
  /** Milliseconds of script that a frame took. */
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
  /** Thoughts or words have come, or the beliefs are of another moment. */
  refresh(): void;
  /** The theme has changed. */
  recolour(): void;
  /** Shows everything, with the pages laid out again. */
  fit(): void;
  zoomTo(zoom: number): void;
  zoomBy(factor: number): void;
  /** Pans as little as needed to show a thought; never zooms. */
  reveal(thought: number): void;
  centre(thought: number, zoom?: number): void;
  pan(dx: number, dy: number): void;
  turnPage(step: 1 | -1): void;
  /** The nearest card in the rows below or above, `NONE` at the edge. */
  beside(thought: number, direction: "below" | "above"): number;
  picture(options: PictureOptions): Promise<Blob>;
  destroy(): void;
};
