import { type Beliefs, NOW, STATE } from "../model/beliefs.ts";
import { type Columns, MAIN } from "../model/columns.ts";
import type { Layout, Point } from "../model/layout/layout.ts";
import { CONCLUSION } from "../model/thought-types.ts";
import type { Camera } from "./camera.ts";
import type { Theme } from "./theme.ts";

/** Everything a frame depends on. One object, read by all who draw. */
export type Scene = {
  readonly columns: Columns;
  readonly beliefs: Beliefs;
  layout: Layout;
  theme: Theme;
  readonly camera: Camera;
  selected: number;
  /** Thoughts that the selected one builds on. */
  related: ReadonlySet<number>;
  /** What a search found; `undefined` without a search. */
  hits: ReadonlySet<number> | undefined;
  query: string;
  /** Type codes that are shown; `undefined` for all. */
  types: ReadonlySet<number> | undefined;
  /** The newest thought while the session is live, else `NONE`. */
  head: number;
  /** A next thought is being waited for. */
  isThinking: boolean;
  /** The session was completed: its main line ends with a final bar. */
  isComplete: boolean;
  /** Thoughts that are just arriving and when they began to, in milliseconds of the frame's clock. */
  readonly arriving: Map<number, number>;
  /** Grows with every change that is not the camera's. */
  version: number;
};

/** Where the next thought will stand, while one waits for it and looks at everything. */
export const expectedCell = (scene: Scene): Point | undefined =>
  scene.isThinking && isNow(scene) && !scene.hits ? scene.layout.next(MAIN) : undefined;

export const isNow = (scene: Scene): boolean => scene.beliefs.moment >= scene.columns.size - 1;

/** Shown faintly: not found by the search, or of a type that was filtered out. */
export function isAside(scene: Scene, i: number): boolean {
  if (scene.hits && !scene.hits.has(i)) return true;
  return scene.types !== undefined && !scene.types.has(scene.columns.type[i] as number);
}

export const SHADE = { plain: 0, faint: 1, strong: 2, later: 3 } as const;

/** How a thought shows below the card tier. */
export function shadeOf(scene: Scene, i: number): number {
  const state = scene.beliefs.state[i] as number;
  if (state === STATE.later) return SHADE.later;
  if (state !== STATE.believed || isAside(scene, i)) return SHADE.faint;
  return scene.columns.type[i] === CONCLUSION ? SHADE.strong : SHADE.plain;
}

/** The same of all thoughts at once. */
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

/** The head is marked only while one looks at now and at everything. */
export const marksHead = (scene: Scene): boolean =>
  scene.head >= 0 && scene.beliefs.moment === NOW && scene.hits === undefined;

export const boxOf = ({ x, y, geometry }: Layout, i: number) => ({
  x: x[i] as number,
  y: y[i] as number,
  width: geometry.cardWidth,
  height: geometry.cardHeight,
});
