import "../styles/fonts.css";
import "../styles/tokens.css";
import "../styles/graph.css";
import { createGraph } from "../graph/graph.ts";
import type { Graph } from "../graph/graph-options.ts";
import { createBeliefs } from "../model/beliefs.ts";
import { createLayout } from "../model/layout/layout.ts";
import { writeLongSession } from "./long-session.ts";

/** The functions that the bench script calls in the page. All durations are in milliseconds. */
type Bench = {
  /** Writes a session and collects garbage, so that only the next step is measured. */
  prepare(size: number): Promise<void>;
  /** Times only the layout. */
  layOut(): number;
  /** Times everything from the data to the first frame on the screen: beliefs, layout, mount, drawing. */
  open(): Promise<{ firstPaint: number; firstScript: number }>;
  /** Moves the camera for a number of frames at a zoom. 0 fits the session. */
  drive(zoom: number, frames: number): Promise<{ script: number[]; between: number[] }>;
};

declare global {
  interface Window {
    bench: Bench;
  }
}

const nextFrame = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));

const stage = document.createElement("main");
stage.className = "stage";
stage.style.cssText = "position:fixed;inset:0";
const minimap = document.createElement("canvas");
minimap.className = "mini";
minimap.style.cssText = "position:absolute;right:14px;bottom:48px";
stage.append(minimap);
document.body.append(stage);

let graph: Graph | undefined;
let columns = writeLongSession(0);
const durations: number[] = [];

window.bench = {
  async prepare(size) {
    graph?.destroy();
    columns = writeLongSession(size);
    await document.fonts.load('500 10px "JetBrains Mono Variable"');
    await document.fonts.ready;
    (globalThis as { gc?: () => void }).gc?.();
    await nextFrame();
  },

  layOut() {
    const began = performance.now();
    createLayout(columns);
    return performance.now() - began;
  },

  async open() {
    durations.length = 0;
    const mounted = performance.now();
    graph = createGraph(stage, {
      columns,
      beliefs: createBeliefs(columns),
      minimap,
      toVisible: (text) => text,
      events: {
        select: () => {},
        unfold: () => {},
        stopFollowing: () => {},
        needWords: () => {},
        view: () => {},
        frame: (duration) => durations.push(duration),
      },
    });
    while (durations.length === 0) await nextFrame();
    // The next frame begins only after this one has been sent to the screen.
    await nextFrame();
    return { firstPaint: performance.now() - mounted, firstScript: durations[0] ?? 0 };
  },

  async drive(zoom, frames) {
    if (!graph) throw new Error("open a session first");
    if (zoom === 0) graph.fit();
    else graph.centre(Math.floor(columns.size / 2), zoom);
    for (let k = 0; k < 30; k++) await nextFrame();
    durations.length = 0;
    const between: number[] = [];
    let last = await nextFrame();
    for (let k = 0; k < frames; k++) {
      graph.pan(-7 * Math.cos(k / 20), -5 * Math.sin(k / 20));
      if (k % 40 > 34) graph.zoomBy(k % 80 > 40 ? 1.02 : 1 / 1.02);
      const now = await nextFrame();
      between.push(now - last);
      last = now;
    }
    return { script: [...durations], between };
  },
};
