import { effect, type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { createGraph } from "../graph/graph.ts";
import type { Graph } from "../graph/graph-options.ts";
import { NONE } from "../model/columns.ts";
import type { Observatory } from "../observatory.ts";
import { useNow } from "../parts/basics/clock.ts";
import { useObservatory } from "../parts/basics/context.ts";
import { Icon } from "../parts/basics/icon.tsx";
import { useSettledTheme } from "../parts/basics/theme-of-page.ts";
import { Legend } from "../parts/session/legend.tsx";
import { livenessOf } from "../state/liveness.ts";
import type { Watching } from "../state/watching.ts";
import { toVisible } from "../text/visible-text.ts";

/**
 * Shows the reasoning graph with its legend and zoom. The graph draws itself. This component controls what
 * the graph shows.
 */
export function GraphStage({ watching }: { watching: Watching }) {
  const o = useObservatory();
  const host = useRef<HTMLElement>(null);
  const minimap = useRef<HTMLCanvasElement>(null);
  const [zoom, setZoom] = useState(1);
  const graph = useRef<Graph | undefined>(undefined);
  const theme = useSettledTheme();
  const columns = watching.session.columns.value;
  const info = watching.session.info.value;
  const now = useNow();
  const isAtWork = useSignal(false);
  useLayoutEffect(() => {
    isAtWork.value = info !== undefined && livenessOf(info, now) === "thinking";
  }, [isAtWork, info, now]);
  // A layout effect runs before the next frame, which would otherwise show an empty stage.
  useLayoutEffect(() => {
    if (!host.current || !minimap.current) return;
    const drawn = mount(o, watching, isAtWork, host.current, minimap.current, setZoom);
    graph.current = drawn.graph;
    return drawn.stop;
  }, [o, watching, isAtWork, columns]);
  useEffect(() => graph.current?.recolour(), [theme]);
  return (
    <>
      <section
        class="stage"
        ref={host}
        tabIndex={0}
        aria-roledescription="reasoning graph"
        aria-label="Reasoning graph. The outline lists the same thoughts."
        data-stage
      />
      <Legend watching={watching} />
      <div class="corner">
        <canvas class="mini" ref={minimap} aria-hidden="true" />
        <div class="zoom">
          <button type="button" aria-label="Zoom out" onClick={() => graph.current?.zoomBy(0.8)}>
            −
          </button>
          <span class="num">{Math.round(zoom * 100)}%</span>
          <button type="button" aria-label="Zoom in" onClick={() => graph.current?.zoomBy(1.25)}>
            +
          </button>
          <button type="button" aria-label="Fit" onClick={() => graph.current?.fit()}>
            <Icon name="fit" />
          </button>
        </div>
      </div>
    </>
  );
}

function mount(
  o: Observatory,
  watching: Watching,
  isAtWork: ReadonlySignal<boolean>,
  host: HTMLElement,
  minimap: HTMLCanvasElement,
  onZoom: (zoom: number) => void,
): { graph: Graph; stop: () => void } {
  const { session, words } = watching;
  const columns = session.columns.peek();
  const graph = createGraph(host, {
    columns,
    beliefs: watching.beliefs.peek(),
    minimap,
    toVisible,
    ...stateOf(o, watching, isAtWork),
    events: {
      select: (thought) => o.select(thought, { open: true }),
      unfold: (branch) => o.look({ folded: [...o.folded.peek()].filter((id) => id !== branch) }),
      stopFollowing: () => {
        watching.follow.value = false;
      },
      needWords: (thoughts) => {
        for (const thought of thoughts) words.want(thought, thought);
      },
      view: onZoom,
    },
  });
  o.graph.value = {
    fit: () => graph.fit(),
    fullSize: () => graph.zoomTo(1),
    zoomBy: (factor) => graph.zoomBy(factor),
    neighbour: (from, step) => graph.beside(from, step > 0 ? "below" : "above"),
    page: (step) => graph.turnPage(step),
    picture: (title) => graph.picture({ title, extent: "whole" }),
  };
  const stops = [
    effect(() => {
      // A new picture means new thoughts, new text or another moment.
      watching.picture.value;
      graph.refresh();
    }),
    effect(() => graph.update(stateOf(o, watching, isAtWork))),
    effect(() => {
      const selected = watching.selected.value;
      if (selected !== NONE) graph.reveal(selected);
    }),
  ];
  return {
    graph,
    stop: () => {
      for (const stop of stops) stop();
      o.graph.value = undefined;
      graph.destroy();
    },
  };
}

/** Returns the graph's state, from the signals. */
function stateOf(o: Observatory, watching: Watching, isAtWork: ReadonlySignal<boolean>) {
  const { columns } = watching.picture.value;
  const selected = watching.selected.value;
  const hits = watching.hits.value;
  const only = watching.onlyTypes.value;
  const info = watching.session.info.value;
  const isLive = info?.status === "active";
  return {
    selected,
    related: new Set(selected === NONE ? [] : columns.links.from(selected).map(({ thought }) => thought)),
    // If no thought matches the search, none is dimmed.
    hits: hits && hits.length > 0 ? new Set(hits) : undefined,
    query: hits ? watching.query.value : "",
    types: only.size > 0 ? only : undefined,
    isLive,
    isThinking: isAtWork.value && watching.isThinking.value,
    isComplete: info?.status === "completed",
    isFollowing: isLive && watching.follow.value,
    folded: o.folded.value,
    rowLength: o.narrow.value ? 5 : o.settings.columns.value,
  };
}
