import { NOW } from "../model/beliefs.ts";
import { NONE } from "../model/columns.ts";
import { gist } from "../model/gist.ts";
import { createLayout } from "../model/layout/layout.ts";
import { createArrivals } from "./arrivals.ts";
import { createCards } from "./cards/cards.ts";
import { createScene } from "./create-scene.ts";
import { forkOfChange, isSameFold } from "./folding.ts";
import { createFrame } from "./frame.ts";
import { listenToHands } from "./gestures.ts";
import type { Graph, GraphOptions } from "./graph-options.ts";
import { cardBeside, thoughtAt } from "./hit.ts";
import { createMinimap } from "./minimap.ts";
import { paintPicture } from "./png.ts";
import { readTheme } from "./theme.ts";
import { TIER } from "./tiers.ts";
import { createTooltip } from "./tooltip.ts";
import { createViewpoint, wantsOtherPages } from "./viewpoint.ts";

const REVEALED = 0.04;
/** The head stays within the inner 70% of the stage. */
const FOLLOWED = 0.15;

/** Mounts the graph in an element, which should be focusable and have the class `stage`. */
export function createGraph(host: HTMLElement, options: GraphOptions): Graph {
  const { columns, beliefs, events, toVisible } = options;
  let rowLength = options.rowLength ?? 10;
  let isLive = options.isLive ?? false;
  let isFollowing = options.isFollowing ?? false;
  const scene = createScene(host, options);
  const canvas = document.createElement("canvas");
  canvas.className = "ground";
  canvas.setAttribute("aria-hidden", "true");
  const surface = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  let request = 0;
  let shownZoom = 0;
  let density = 1;
  let isPlaced = false;
  let isShown = false;
  /** Sets the first view. This function runs once the stage has a size. */
  let firstLook = (): void => viewpoint.open();
  const schedule = (): void => {
    request ||= requestAnimationFrame(draw);
  };
  const change = (): void => {
    scene.version++;
    schedule();
  };
  const cards = createCards(scene, toVisible);
  host.prepend(canvas, cards.layer);
  const frame = createFrame(scene, toVisible);
  const viewpoint = createViewpoint(scene, schedule);
  const arrivals = createArrivals(scene);
  const tooltip = createTooltip(host);
  const minimap =
    options.minimap &&
    createMinimap(options.minimap, scene, frame.atlas, (x, y) => {
      stopFollowing();
      const { camera } = scene;
      const { zoom } = camera;
      viewpoint.go({ zoom, x: x - camera.width / zoom / 2, y: y - camera.height / zoom / 2 }, false);
    });

  function draw(now: number): void {
    request = 0;
    // Until the stage has a size, there is nothing to draw or measure.
    if (!isPlaced) return;
    const began = performance.now();
    const isMoving = viewpoint.step(now);
    const isArriving = arrivals.step(now);
    const { tier, pages, isRough } = frame.draw(surface, density, now);
    const shown = tier === TIER.card ? cards.show(pages) : undefined;
    if (!shown) cards.hide();
    else if (shown.wordless.length > 0) events.needWords(shown.wordless);
    // The minimap waits for the second frame, so that the first appears sooner.
    if (isShown) minimap?.draw(density);
    if (shownZoom !== scene.camera.zoom) {
      shownZoom = scene.camera.zoom;
      events.view(shownZoom, tier);
    }
    if (isMoving || isArriving || isRough || shown?.isRough || !isShown) schedule();
    isShown = true;
    events.frame?.(performance.now() - began);
  }

  function relayOut(across: number | undefined): void {
    const { folded } = scene.layout;
    scene.layout = createLayout(columns, { columns: rowLength, folded, ...(across && { across }) });
    change();
  }

  function fold(folded: ReadonlySet<string>): void {
    const before = scene.layout;
    const anchor = forkOfChange(columns, before.folded, folded);
    scene.layout = createLayout(columns, { columns: rowLength, across: before.across, folded });
    const { zoom } = scene.camera;
    // Keep the fork of the folded or unfolded branch in place.
    if (anchor >= 0)
      viewpoint.pan(
        ((before.x[anchor] ?? 0) - (scene.layout.x[anchor] ?? 0)) * zoom,
        ((before.y[anchor] ?? 0) - (scene.layout.y[anchor] ?? 0)) * zoom,
      );
    cards.layer.classList.add("folding");
    setTimeout(() => cards.layer.classList.remove("folding"), 220);
    change();
  }

  function stopFollowing(): void {
    if (!isFollowing) return;
    isFollowing = false;
    events.stopFollowing();
  }

  function follow(): void {
    if (isFollowing && columns.size > 0 && beliefs.moment === NOW) viewpoint.follow(FOLLOWED);
  }

  const stopHands = listenToHands(host, {
    pan(dx, dy) {
      stopFollowing();
      tooltip.hide();
      viewpoint.pan(dx, dy);
    },
    zoom(factor, x, y) {
      stopFollowing();
      tooltip.hide();
      viewpoint.zoomAt(viewpoint.zoom() * factor, x, y);
    },
    press(x, y, isTouch) {
      const i = thoughtAt(scene.layout, scene.camera, x, y);
      const chain = columns.chains[columns.chain[i] ?? 0];
      if (chain && i >= 0 && scene.layout.folded.has(chain.id)) events.unfold(chain.id);
      else events.select(i > beliefs.moment ? NONE : i, isTouch);
    },
    pressTwice: (x, y) => viewpoint.zoomAt(1, x, y),
    hover(x, y) {
      if (shownZoom >= 0.5) return tooltip.hide();
      const i = thoughtAt(scene.layout, scene.camera, x, y);
      if (i >= 0 && columns.text[i] === undefined) events.needWords([i]);
      const words = i < 0 || i > beliefs.moment ? undefined : columns.text[i];
      tooltip.offer(
        x,
        y,
        words === undefined ? undefined : `${columns.number[i]}  ${toVisible(gist(words))}`,
      );
    },
    leave: () => tooltip.hide(),
  });

  const observer = new ResizeObserver(() => {
    const { camera } = scene;
    density = devicePixelRatio || 1;
    camera.width = host.clientWidth;
    camera.height = host.clientHeight;
    canvas.width = Math.round(camera.width * density);
    canvas.height = Math.round(camera.height * density);
    if (camera.width === 0 || camera.height === 0) return;
    if (!isPlaced) firstLook();
    if (scene.selected >= 0) viewpoint.reveal(scene.selected, REVEALED);
    isPlaced = true;
    cancelAnimationFrame(request);
    draw(performance.now());
  });
  observer.observe(host);
  const clock = setInterval(() => {
    if (document.hidden) return;
    if (arrivals.markSeen(cards.shown(), performance.now())) change();
    else if (scene.isThinking) schedule();
  }, 1000);
  const listening = new AbortController();
  // Letters drawn before the fonts loaded have to be drawn again.
  document.fonts?.addEventListener("loadingdone", recolour, { signal: listening.signal });

  function recolour(): void {
    scene.theme = readTheme(host);
    change();
  }

  return {
    update(next) {
      const { isLive: live, isFollowing: following, folded, rowLength: length, ...rest } = next;
      Object.assign(scene, rest);
      if (live !== undefined) isLive = live;
      scene.head = isLive ? columns.size - 1 : NONE;
      if (length !== undefined && length !== rowLength) {
        rowLength = length;
        relayOut(undefined);
        viewpoint.open();
      }
      if (folded && !isSameFold(folded, scene.layout.folded)) fold(folded);
      if (following !== undefined) isFollowing = following;
      follow();
      change();
    },
    refresh() {
      const before = scene.layout.size;
      scene.layout.extend();
      if (isLive) scene.head = columns.size - 1;
      if (before > 0 && columns.size > before) arrivals.greet(before, performance.now());
      if (before === 0 && columns.size > 0) {
        relayOut(undefined);
        viewpoint.open();
      }
      follow();
      change();
    },
    recolour,
    fit() {
      if (wantsOtherPages(scene)) relayOut(undefined);
      viewpoint.fit(true);
    },
    zoomTo(zoom) {
      const { width, height } = scene.camera;
      if (scene.selected >= 0) viewpoint.centre(scene.selected, zoom, true);
      else viewpoint.zoomAt(zoom, width / 2, height / 2);
    },
    zoomBy(factor) {
      viewpoint.zoomAt(viewpoint.zoom() * factor, scene.camera.width / 2, scene.camera.height / 2);
    },
    reveal: (thought) => viewpoint.reveal(thought, REVEALED),
    centre(thought, zoom = viewpoint.zoom()) {
      if (isPlaced) viewpoint.centre(thought, zoom, true);
      else firstLook = () => viewpoint.centre(thought, zoom, false);
    },
    pan(dx, dy) {
      stopFollowing();
      viewpoint.pan(dx, dy);
    },
    turnPage(step) {
      stopFollowing();
      viewpoint.pan(0, -step * scene.camera.height * 0.85);
    },
    beside: (thought, direction) => cardBeside(scene.layout, thought, direction, beliefs.moment),
    picture: (wanted) => paintPicture(scene, host, toVisible, wanted),
    destroy() {
      cancelAnimationFrame(request);
      clearInterval(clock);
      listening.abort();
      observer.disconnect();
      stopHands();
      tooltip.hide();
      minimap?.destroy();
      canvas.remove();
      cards.layer.remove();
    },
  };
}
