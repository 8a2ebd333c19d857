import type { Beliefs } from "../model/beliefs.ts";
import type { Columns } from "../model/columns.ts";
import { createTimeScale } from "../model/timescale.ts";
import { PAD, type StripLook } from "./draw/strip-look.ts";
import { drawStrip } from "./draw/strip-marks.ts";
import { readTheme } from "./theme.ts";

export type StripState = {
  selected: number;
  hits: ReadonlySet<number> | undefined;
  /** True on a phone, where the strip has no axis. */
  isCompact: boolean;
};

export type Strip = {
  update(change: Partial<StripState>): void;
  /** Call this after thoughts arrive, or after the beliefs change to another moment. */
  refresh(): void;
  recolour(): void;
  destroy(): void;
};

export type StripOptions = Partial<StripState> & {
  columns: Columns;
  beliefs: Beliefs;
  /** Called when the user drags the playhead to a thought. */
  scrub(thought: number): void;
};

/** Creates the timeline of arriving thoughts and its playhead. The page handles keys and the slider role. */
export function createStrip(canvas: HTMLCanvasElement, options: StripOptions): Strip {
  const { columns, beliefs, scrub } = options;
  const scale = createTimeScale(columns);
  const state: StripState = {
    selected: options.selected ?? -1,
    hits: options.hits,
    isCompact: options.isCompact ?? false,
  };
  let theme = readTheme(canvas);
  let request = 0;
  /** Number of thoughts in the last frame. */
  let shown = 0;

  function draw(): void {
    request = 0;
    const density = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (width === 0 || height === 0) return;
    const wide = Math.round(width * density);
    const high = Math.round(height * density);
    if (canvas.width !== wide) canvas.width = wide;
    if (canvas.height !== high) canvas.height = high;
    const surface = canvas.getContext("2d");
    if (!surface) return;
    surface.setTransform(density, 0, 0, density, 0, 0);
    surface.clearRect(0, 0, width, height);
    scale.extend();
    shown = columns.size;
    const look: StripLook = { columns, beliefs, scale, theme, width, height, ...state };
    drawStrip(surface, look);
  }
  const waitAFrame = (): void => {
    request = requestAnimationFrame(draw);
  };
  const schedule = (): void => {
    // Leave the first frame to the graph, which takes a long time to draw if the session is long.
    const isFirst = shown === 0 && columns.size > 0;
    request ||= requestAnimationFrame(isFirst ? waitAFrame : draw);
  };

  const listening = new AbortController();
  const drag = (event: PointerEvent): void => {
    if (columns.size === 0 || (event.type === "pointermove" && event.buttons === 0)) return;
    if (event.type === "pointerdown") canvas.setPointerCapture(event.pointerId);
    const box = canvas.getBoundingClientRect();
    const share = (event.clientX - box.left - PAD) / Math.max(1, box.width - 2 * PAD);
    scrub(scale.thoughtAt(share * scale.end + 1e-6));
  };
  for (const type of ["pointerdown", "pointermove"] as const)
    canvas.addEventListener(type, drag, { signal: listening.signal });
  const observer = new ResizeObserver(() => (shown === 0 ? schedule() : draw()));
  observer.observe(canvas);
  void document.fonts?.ready.then(schedule);

  return {
    update(change) {
      Object.assign(state, change);
      schedule();
    },
    refresh: schedule,
    recolour() {
      theme = readTheme(canvas);
      schedule();
    },
    destroy() {
      cancelAnimationFrame(request);
      observer.disconnect();
      listening.abort();
    },
  };
}
