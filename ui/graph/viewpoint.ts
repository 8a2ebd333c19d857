import { pagesAcross } from "../model/layout/geometry.ts";
import {
  brought,
  type Camera,
  centredOn,
  clampZoom,
  fitted,
  fittedFew,
  type Margins,
  readable,
  seesAll,
  type View,
  zoomedAt,
} from "./camera.ts";
import { CAMERA_MOVE, easeOut, prefersStillness } from "./motion.ts";
import { boxOf, type Scene } from "./scene.ts";
import { TIER, tierOf } from "./tiers.ts";

/**
 * The position of the view and the ways to move it. The scene's camera follows this position in each frame.
 */
export type Viewpoint = {
  /** Updates the scene's camera. Returns `true` while it is still moving. */
  step(now: number): boolean;
  pan(dx: number, dy: number): void;
  zoomAt(zoom: number, x: number, y: number): void;
  /** Moves to a view: with an animation if `isGliding` is set, and immediately if not. */
  go(view: View, isGliding: boolean): void;
  fit(isGliding: boolean): void;
  /** Shows the whole session. If the session fits on one page, zooms in far enough to read the cards. */
  open(): void;
  /** Moves only as far as needed. `inset` is the share of the stage to keep free around the thought. */
  reveal(thought: number, inset: number): void;
  /** Keeps the newest thought in the stage's middle part. Does nothing while the whole session is in view. */
  follow(inset: number): void;
  centre(thought: number, zoom: number, isGliding: boolean): void;
  /** Returns the target zoom. */
  zoom(): number;
};

const NARROW = 640;
const MARGINS: Margins = { left: 20, right: 20, top: 17, bottom: 50 };
const MARGINS_OF_PAGES: Margins = { left: 36, right: 12, top: 10, bottom: 54 };
const NARROW_MARGINS: Margins = { left: 16, right: 16, top: 16, bottom: 20 };

export function createViewpoint(scene: Scene, onMove: () => void): Viewpoint {
  const { camera } = scene;
  let view: View = { x: camera.x, y: camera.y, zoom: camera.zoom };
  let glide: { from: View; to: View; since: number } | undefined;

  const target = (): View => glide?.to ?? view;
  const at = (place: View): Camera => ({ ...place, width: camera.width, height: camera.height });

  function go(to: View, isGliding: boolean): void {
    if (isGliding && !prefersStillness()) glide = { from: view, to, since: -1 };
    else {
      glide = undefined;
      view = to;
    }
    onMove();
  }

  function between(from: View, to: View, share: number): View {
    // Interpolate the zoom by ratio and derive the position from it, so that the target grows evenly.
    const zoom = from.zoom * (to.zoom / from.zoom) ** share;
    const way =
      Math.abs(to.zoom - from.zoom) < 1e-6
        ? share
        : (1 / from.zoom - 1 / zoom) / (1 / from.zoom - 1 / to.zoom);
    return { zoom, x: from.x + (to.x - from.x) * way, y: from.y + (to.y - from.y) * way };
  }

  function step(now: number): boolean {
    if (glide) {
      if (glide.since < 0) glide.since = now;
      const share = easeOut((now - glide.since) / CAMERA_MOVE);
      view = share >= 1 ? glide.to : between(glide.from, glide.to, share);
      if (share >= 1) glide = undefined;
    }
    camera.zoom = view.zoom;
    // Cards and lines only meet exactly on whole pixels.
    const isSnapped = tierOf(view.zoom) === TIER.card;
    camera.x = isSnapped ? Math.round(view.x * view.zoom) / view.zoom : view.x;
    camera.y = isSnapped ? Math.round(view.y * view.zoom) / view.zoom : view.y;
    return glide !== undefined;
  }

  function fitView(): View {
    const { layout, columns } = scene;
    const { geometry: g } = layout;
    const last = Math.max(0, columns.size - 1);
    if (camera.width <= NARROW) {
      const wide = fitted(layout, camera, NARROW_MARGINS, true);
      // Put the newest thought near the bottom.
      const y = (layout.y[last] ?? 0) + g.cardHeight - (camera.height - 96) / wide.zoom;
      return { ...wide, y: Math.max(wide.y, y) };
    }
    if (layout.pages.length <= 1) return fittedFew(layout, camera, columns.size, MARGINS);
    return fitted(layout, camera, MARGINS_OF_PAGES);
  }

  function reveal(thought: number, inset: number): void {
    const to = brought(at(target()), boxOf(scene.layout, thought), inset);
    if (to.x !== target().x || to.y !== target().y) go(to, true);
  }

  return {
    step,
    pan(dx, dy) {
      const from = target();
      go({ ...from, x: from.x - dx / from.zoom, y: from.y - dy / from.zoom }, false);
    },
    zoomAt: (zoom, x, y) => go(zoomedAt(at(target()), zoom, x, y), false),
    go,
    fit: (isGliding) => go(fitView(), isGliding),
    open() {
      const { layout } = scene;
      const margins = camera.width <= NARROW ? NARROW_MARGINS : MARGINS;
      go(layout.pages.length <= 1 ? readable(fitView(), layout, margins) : fitView(), false);
    },
    reveal,
    follow(inset) {
      const { layout, columns } = scene;
      if (!seesAll(at(target()), layout, columns.size)) reveal(columns.size - 1, inset);
    },
    centre: (thought, zoom, isGliding) =>
      go(centredOn(camera, boxOf(scene.layout, thought), clampZoom(zoom)), isGliding),
    zoom: () => target().zoom,
  };
}

/** Returns whether the session has grown enough to need a different number of pages side by side. */
export const wantsOtherPages = (scene: Scene): boolean =>
  pagesAcross(scene.columns.size) !== scene.layout.across;
