import { useEffect, useMemo } from "preact/hooks";
import type { SessionsRoute, Sort } from "../../route-lists.ts";
import { lastSignOf } from "../../state/liveness.ts";
import type { Session } from "../../state/thought.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { formatDayWords } from "../../text/time-words.ts";
import { Notice } from "../basics/banner.tsx";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { Keys } from "../basics/key-line.tsx";
import { useSteadyOrder } from "../basics/steady-order.ts";
import { SessionRow } from "./session-row.tsx";
import { Pages, useEndless } from "./table.tsx";

const heads: readonly { words: string; look: string; sort?: Sort }[] = [
  { words: "Session", look: "", sort: "title" },
  { words: "Reasoning, first to last", look: "c-bar" },
  { words: "Agent", look: "c-agent" },
  { words: "Thoughts", look: "rt", sort: "thoughts" },
  { words: "Took", look: "rt c-took", sort: "took" },
  { words: "State", look: "c-state" },
  { words: "Last", look: "rt c-last", sort: "last" },
];

/** Returns whether the order is from small to large, from old to new, or from A to Z. */
export const isAscending = ({ sort, isReversed }: SessionsRoute): boolean =>
  (sort === "title") !== isReversed;

type Choose = { route: SessionsRoute; onChange: (route: SessionsRoute) => void };

export const Head = ({ route, onChange }: Choose) => (
  <div class="th">
    {heads.map(({ words, look, sort }) => {
      const isOn = sort !== undefined && sort === (route.sort ?? (route.search === "" ? "last" : undefined));
      return sort === undefined ? (
        <span key={words} class={look}>
          {words}
        </span>
      ) : (
        <button
          key={words}
          type="button"
          class={isOn ? `${look} on` : look}
          aria-label={`Sort by ${words.toLowerCase()}${isOn && route.isReversed ? ", now reversed" : ""}`}
          onClick={() => onChange({ ...route, sort, isReversed: isOn && !route.isReversed })}
        >
          {words}
          {isOn && (
            <span class={isAscending(route) ? "turned" : ""}>
              <Icon name="down" size={11} />
            </span>
          )}
        </button>
      );
    })}
  </div>
);

/**
 * Shows the sessions loaded so far by scrolling. A list that is sorted by time is grouped by day, with the
 * day's totals.
 */
export function SessionList({ sessions, route, onChange }: Choose & { sessions: readonly Session[] }) {
  const o = useObservatory();
  const now = useNow();
  const {
    shown: order,
    waiting,
    update,
  } = useSteadyOrder(sessions, JSON.stringify(route), {
    isRead: o.server.value?.sessions.isRead.value === true,
  });
  const [count, more] = useEndless(order.length, JSON.stringify(route));
  const shown = order.slice(0, count);
  const isStarted = route.sort === "started";
  const isByDay = route.sort === undefined || route.sort === "last" || isStarted;
  const timeOf = (session: Session) => (isStarted ? Date.parse(session.createdAt) : lastSignOf(session));
  useEffect(() => o.server.value?.sessions.wantStories(shown));
  const days = useMemo(() => sumDays(isByDay ? order : [], timeOf, now), [order, isByDay, isStarted, now]);
  if (sessions.length === 0)
    return <Notice title="No sessions match">Choose another state, project, tag or day.</Notice>;
  const dayOf = (session: Session) => (isByDay ? formatDayWords(timeOf(session), now) : "");
  return (
    <>
      {waiting > 0 && (
        <button type="button" class="pill-news" onClick={update}>
          {countOf(waiting, "session")} changed · <b>Show</b>
        </button>
      )}
      <Head route={route} onChange={onChange} />
      <Pages
        items={shown}
        row={(session, before) => {
          const name = dayOf(session);
          const sums = before && dayOf(before) === name ? undefined : days.get(name);
          return (
            <div key={session.id} class="row-box">
              {sums && (
                <div class="day">
                  <b>{name}</b>
                  <span>
                    {countOf(sums.sessions, "session")} · {countOf(sums.thoughts, "thought")}
                  </span>
                </div>
              )}
              <SessionRow session={session} isUnderDay={isByDay && !isStarted} />
            </div>
          );
        }}
      />
      <div ref={more} />
      <div class="foot">
        <span>
          {count < order.length
            ? `${formatCount(count)} of ${formatCount(order.length)} loaded`
            : `${countOf(order.length, "session")}, all loaded`}
        </span>
        <Keys
          keys={[
            ["j k", "move"],
            ["↵", "open"],
            ["f", "filter"],
            ["/", "search"],
            ["v", "sort"],
          ]}
        />
      </div>
    </>
  );
}

function sumDays(sessions: readonly Session[], timeOf: (session: Session) => number, now: number) {
  const days = new Map<string, { sessions: number; thoughts: number }>();
  for (const session of sessions) {
    const name = formatDayWords(timeOf(session), now);
    const sums = days.get(name) ?? { sessions: 0, thoughts: 0 };
    days.set(name, { sessions: sums.sessions + 1, thoughts: sums.thoughts + session.thoughtCount });
  }
  return days;
}
