import { type Beliefs, NOW, STATE } from "../model/beliefs.ts";
import { type Columns, MAIN } from "../model/columns.ts";
import type { Layout, Point } from "../model/layout/layout.ts";
import { CONCLUSION } from "../model/thought-types.ts";
import type { Camera } from "./camera.ts";
import type { Theme } from "./theme.ts";

/** Everything a frame depends on, in one object that all drawing code reads. */
export type Scene = {
  readonly columns: Columns;
  readonly beliefs: Beliefs;
  layout: Layout;
  theme: Theme;
  readonly camera: Camera;
  selected: number;
  /** Thoughts that the selected one builds on. */
  related: ReadonlySet<number>;
  /** Search hits, or `undefined` if there is no search. */
  hits: ReadonlySet<number> | undefined;
  query: string;
  /** The type codes to show, or `undefined` for all. */
  types: ReadonlySet<number> | undefined;
  /** The newest thought while the session is live, or `NONE`. */
  head: number;
  /** Whether the session is waiting for its next thought. */
  isThinking: boolean;
  /** Whether the session is completed. The main line of a completed session ends with a final bar. */
  isComplete: boolean;
  /** Arriving thoughts, each with its start time in milliseconds of the frame's clock. */
  readonly arriving: Map<number, number>;
  /** Increases with every change except camera moves. */
  version: number;
};

/** Returns the cell for the next thought if one is expected, but `undefined` in the past or a search. */
export const expectedCell = (scene: Scene): Point | undefined =>
  scene.isThinking && isNow(scene) && !scene.hits ? scene.layout.next(MAIN) : undefined;

export const isNow = (scene: Scene): boolean => scene.beliefs.moment >= scene.columns.size - 1;

/** Returns whether a thought is dimmed: not found by the search, or of a type that is filtered out. */
export function isAside(scene: Scene, i: number): boolean {
  if (scene.hits && !scene.hits.has(i)) return true;
  return scene.types !== undefined && !scene.types.has(scene.columns.type[i] as number);
}

export const SHADE = { plain: 0, faint: 1, strong: 2, later: 3 } as const;

/** Returns the shade of a thought that is not drawn as a card. */
export function shadeOf(scene: Scene, i: number): number {
  const state = scene.beliefs.state[i] as number;
  if (state === STATE.later) return SHADE.later;
  if (state !== STATE.believed || isAside(scene, i)) return SHADE.faint;
  return scene.columns.type[i] === CONCLUSION ? SHADE.strong : SHADE.plain;
}

/** Returns the shades of all thoughts at once. */
export function shadesOf(scene: Scene): Uint8Array {
  const { hits, types } = scene;
  const { size, type } = scene.columns;
  const { state } = scene.beliefs;
  const shades = new Uint8Array(size);
  for (let i = 0; i < size; i++) {
    const code = type[i] as number;
    const believed = state[i] === STATE.believed;
    if (state[i] === STATE.later) shades[i] = SHADE.later;
    else if (!believed || (hits && !hits.has(i)) || (types && !types.has(code))) shades[i] = SHADE.faint;
    else if (code === CONCLUSION) shades[i] = SHADE.strong;
  }
  return shades;
}

/** Returns whether the head is marked: only if the view shows the present and no search. */
export const marksHead = (scene: Scene): boolean =>
  scene.head >= 0 && scene.beliefs.moment === NOW && scene.hits === undefined;

export const boxOf = ({ x, y, geometry }: Layout, i: number) => ({
  x: x[i] as number,
  y: y[i] as number,
  width: geometry.cardWidth,
  height: geometry.cardHeight,
});
