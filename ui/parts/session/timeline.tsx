import { effect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { createStrip, type Strip } from "../../graph/strip.ts";
import { NOW } from "../../model/beliefs.ts";
import type { Observatory } from "../../observatory.ts";
import { livenessOf } from "../../state/liveness.ts";
import type { Speed } from "../../state/settings.ts";
import type { Watching } from "../../state/watching.ts";
import { formatCount } from "../../text/count-words.ts";
import { formatClock } from "../../text/time-words.ts";
import { ActionStrip } from "../actions/action-strip.tsx";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { useSettledTheme } from "../basics/theme-of-page.ts";

/** Shows the times of the thoughts, and a playhead to return to any moment. */
export function Timeline({ watching }: { watching: Watching }) {
  return (
    <section class="time" aria-label="Timeline">
      <Controls />
      <div class="strip-box">
        <Scrubber watching={watching} />
        <ActionStrip watching={watching} />
      </div>
      <End watching={watching} />
    </section>
  );
}

const speeds: readonly Speed[] = ["1", "4", "16", "real"];

function Controls() {
  const { player, settings } = useObservatory();
  const isPlaying = player.playing.value;
  const speed = settings.speed.value;
  const words = speed === "real" ? "real" : `${speed}×`;
  const faster = () => {
    settings.speed.value = speeds[(speeds.indexOf(speed) + 1) % speeds.length] ?? "4";
  };
  return (
    <div class="ctl">
      <button
        type="button"
        class="ib opt"
        aria-label="One thought back"
        title="One thought back"
        onClick={() => player.step(-1)}
      >
        <Icon name="stepBack" />
      </button>
      <button
        type="button"
        class="ib"
        aria-label={isPlaying ? "Pause" : "Play"}
        title={isPlaying ? "Pause" : "Play"}
        onClick={player.toggle}
      >
        <Icon name={isPlaying ? "pause" : "play"} />
      </button>
      <button
        type="button"
        class="ib opt"
        aria-label="One thought forward"
        title="One thought forward"
        onClick={() => player.step(1)}
      >
        <Icon name="stepForth" />
      </button>
      <button type="button" class="speed opt" aria-label={`Speed ${words}`} title="Speed" onClick={faster}>
        {words}
      </button>
    </div>
  );
}

function Scrubber({ watching }: { watching: Watching }) {
  const o = useObservatory();
  const canvas = useRef<HTMLCanvasElement>(null);
  const strip = useRef<Strip | undefined>(undefined);
  const theme = useSettledTheme();
  const { columns, moment } = watching.picture.value;
  useEffect(() => {
    if (!canvas.current) return;
    const drawn = mount(o, watching, canvas.current);
    strip.current = drawn.strip;
    return drawn.stop;
  }, [o, watching, columns]);
  useEffect(() => strip.current?.recolour(), [theme]);
  const last = Math.max(0, columns.size - 1);
  const at = Math.min(moment, last);
  const press = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[
      event.key
    ];
    if (event.key === "Home") o.player.to(0);
    else if (event.key === "End") o.player.toNow();
    else if (step !== undefined) o.player.step(step);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <canvas
      class="strip"
      ref={canvas}
      role="slider"
      tabIndex={0}
      aria-label="Moment"
      aria-valuemin={1}
      aria-valuemax={Math.max(1, columns.size)}
      aria-valuenow={at + 1}
      aria-valuetext={
        columns.size > 0
          ? `${formatClock(columns.time[at] ?? 0)}, thought ${columns.number[at]}`
          : "no thoughts yet"
      }
      onKeyDown={press}
    />
  );
}

function mount(
  o: Observatory,
  watching: Watching,
  canvas: HTMLCanvasElement,
): { strip: Strip; stop: () => void } {
  const strip = createStrip(canvas, {
    columns: watching.session.columns.peek(),
    beliefs: watching.beliefs.peek(),
    isCompact: o.narrow.peek(),
    scrub: (thought) => {
      o.player.playing.value = false;
      o.player.to(thought);
    },
  });
  const stops = [
    effect(() => {
      watching.picture.value;
      strip.refresh();
    }),
    effect(() => {
      const hits = watching.hits.value;
      strip.update({
        selected: watching.selected.value,
        hits: hits && hits.length > 0 ? new Set(hits) : undefined,
        isCompact: o.narrow.value,
      });
    }),
  ];
  return {
    strip,
    stop: () => {
      for (const stop of stops) stop();
      strip.destroy();
    },
  };
}

function End({ watching }: { watching: Watching }) {
  const o = useObservatory();
  const { columns, moment } = watching.picture.value;
  const isPast = moment !== NOW;
  const at = Math.min(moment, columns.size - 1);
  const now = useNow(60_000);
  const info = watching.session.info.value;
  const isLive = info?.status === "active";
  const isEnded = info?.status === "completed";
  const isQuiet = info !== undefined && livenessOf(info, now) === "quiet";
  const isFollowing = watching.follow.value;
  const since = watching.sizeWhenPast.value;
  const news = isPast && since !== undefined ? columns.size - since : 0;
  return (
    <div class="end">
      <div class="clock">
        <b>{columns.size > 0 ? formatClock(columns.time[at] ?? 0) : "–"}</b>
        <span>
          {isPast
            ? `${formatCount(at + 1)} of ${formatCount(columns.size)}`
            : isQuiet
              ? "last thought"
              : isEnded
                ? "end"
                : "now"}
        </span>
      </div>
      {isPast ? (
        <button type="button" class="btn now-button" onClick={o.player.toNow}>
          {isEnded ? "To the end" : "To now"}
          {news > 0 && ` · ${news}`}
        </button>
      ) : (
        isLive && (
          <button
            type="button"
            class="btn follow"
            aria-pressed={isFollowing}
            onClick={() => {
              watching.follow.value = !isFollowing;
            }}
          >
            <i class="dot" />
            {isFollowing ? "Following" : "Follow"}
          </button>
        )
      )}
    </div>
  );
}
