import { formatRoute, sessionRoute } from "../../route.ts";
import { sessionsRoute } from "../../route-lists.ts";
import { livenessOf, livenessWords } from "../../state/liveness.ts";
import type { Lane } from "../../state/pages/home.ts";
import { projectOf } from "../../state/sessions.ts";
import { countOf } from "../../text/count-words.ts";
import { axisTicks, formatMoment } from "../../text/time-words.ts";
import { useObservatory } from "../basics/context.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { LivenessMark } from "../frame/badge.tsx";

const WIDTH = 1000;
const TALL = "CRX";
/** A pause of more milliseconds than this between two thoughts breaks the line. */
const PAUSE = 20 * 60_000;

type Props = {
  lanes: readonly Lane[];
  /** How many sessions have news, including those without a line. */
  total: number;
  since: number;
  now: number;
};

/** Shows every thought in the period, one line per session. */
export function Lanes({ lanes, total, since, now }: Props) {
  const from = Math.min(since, ...lanes.flatMap(({ times }) => times.slice(0, 1)));
  const span = Math.max(1, now - from);
  const x = (at: number) => ((at - from) / span) * WIDTH;
  if (lanes.length === 0) return null;
  return (
    <section class="lanes" aria-label="Every thought from this period">
      {lanes.map((lane) => (
        <Row key={lane.session.id} lane={lane} now={now} x={x} />
      ))}
      <div class="lane axis" aria-hidden="true">
        <span />
        <div class="t">
          {axisTicks(from, now).map(({ at, words }) => (
            <span key={at} style={{ left: `${x(at) / 10}%` }}>
              {words}
            </span>
          ))}
        </div>
        <span />
      </div>
      {total > lanes.length && (
        <a class="more" href={formatRoute(sessionsRoute())}>
          {countOf(total - lanes.length, "more session")}
        </a>
      )}
    </section>
  );
}

function Row({ lane, now, x }: { lane: Lane; now: number; x: (at: number) => number }) {
  const { navigation } = useObservatory();
  const { session, times, types, numbers, branches } = lane;
  const state = livenessOf(session, now);
  const project = projectOf(session);
  const last = times.at(-1) ?? now;
  const end =
    state === "ended"
      ? `ended ${formatMoment(last, now)}`
      : state === "quiet"
        ? livenessWords(session, now)
        : countOf(lane.thoughts, "thought");
  /** Opens a tick's thought. A click elsewhere on the line opens the session. */
  const open = (event: MouseEvent) => {
    const tick = event.target instanceof Element ? event.target.getAttribute("data-tick") : null;
    if (tick === null) return;
    const at = Number(tick);
    event.preventDefault();
    navigation.go(sessionRoute(session.id, { thought: { branch: branches[at], number: numbers[at] ?? 1 } }));
  };
  return (
    <a class="lane" href={formatRoute(sessionRoute(session.id))} data-row onClick={open}>
      <span class="nm">
        <LivenessMark state={state} />
        <span class="ell">
          <PlainText text={session.title} />
        </span>
        {project !== "" && (
          <span class="pj">
            <PlainText text={project} />
          </span>
        )}
      </span>
      <svg viewBox={`0 0 ${WIDTH} 20`} preserveAspectRatio="none" aria-hidden="true">
        <line class="base" x1="0" x2={WIDTH} y1="10" y2="10" vector-effect="non-scaling-stroke" />
        {stretches(times).map(([a, b]) => (
          <line key={a} class="run" x1={x(a)} x2={x(b)} y1="10" y2="10" vector-effect="non-scaling-stroke" />
        ))}
        {times.map((at, tick) => {
          const type = types[tick] ?? "N";
          const isTall = TALL.includes(type);
          return (
            <rect
              key={tick}
              class={`f-${type}`}
              x={x(at) - 1.6}
              y={isTall ? 2 : 5}
              width="3.2"
              height={isTall ? 16 : 10}
              rx="0.8"
              data-tick={tick}
            />
          );
        })}
      </svg>
      <span class="end">{end}</span>
    </a>
  );
}

/** Returns the start and end of each period without a long pause between thoughts. */
function stretches(times: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const at of times) {
    const run = runs.at(-1);
    if (run && at - run[1] <= PAUSE) run[1] = at;
    else runs.push([at, at]);
  }
  return runs;
}
