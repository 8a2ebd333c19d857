import { useEffect, useMemo } from "preact/hooks";
import { showKey } from "../../keys.ts";
import { type SessionsRoute, sessionsRoute } from "../../route-lists.ts";
import { lastSignOf } from "../../state/liveness.ts";
import type { Found } from "../../state/pages/found.ts";
import type { Session } from "../../state/thought.ts";
import { countOf } from "../../text/count-words.ts";
import { Notice } from "../basics/banner.tsx";
import { useObservatory } from "../basics/context.ts";
import { Keys } from "../basics/key-line.tsx";
import { Loading } from "../basics/loading.tsx";
import { isMac } from "../basics/platform.ts";
import { HitRows } from "./hits.tsx";
import { NoHit } from "./no-hit.tsx";
import { Head } from "./session-list.tsx";
import { SessionRow } from "./session-row.tsx";
import { useEndless } from "./table.tsx";

type Props = {
  route: SessionsRoute;
  found: Found;
  /** All sessions that pass the filters, in the order that the address names. */
  among: readonly Session[];
  all: readonly Session[];
  onChange: (route: SessionsRoute) => void;
};

/** Shows the sessions with hits, each with its best hits. */
export function FoundList({ route, found, among, all, onChange }: Props) {
  const o = useObservatory();
  const ranked = found.ranked.value;
  const matches = found.matches.value;
  const isWhole = o.server.value?.sessions.isWhole.value;
  const wish = JSON.stringify(route);
  // Rows keep their order while sessions change.
  const order = useMemo(
    () => (ranked ? arrange(among, found, route).map(({ id }) => id) : []),
    [ranked, matches, isWhole, wish],
  );
  const byId = o.server.value?.sessions.byId.value;
  const sessions = order.flatMap((id) => byId?.get(id) ?? []);
  const [count, more] = useEndless(sessions.length, wish);
  const shown = sessions.slice(0, count);
  useEffect(() => {
    if (matches) found.want(shown.map(({ id }) => id));
    o.server.value?.sessions.wantStories(shown);
  });
  if (ranked?.failed !== undefined)
    return (
      <Notice
        title="Could not search the thoughts"
        action={
          <button type="button" class="btn" onClick={found.again}>
            Try again
          </button>
        }
      >
        {ranked.failed}
      </Notice>
    );
  const isSearched = ranked && (matches || ranked.hits.length > 0);
  if (!isSearched) return <Loading what="Searching" />;
  if (sessions.length === 0)
    return matches ? (
      <NoHit
        search={route.search}
        all={all}
        elsewhere={[...matches.bySession.values()].reduce((sum, thoughts) => sum + thoughts, 0)}
        onDropFilters={() => onChange(sessionsRoute({ search: route.search }))}
        onSearch={(search) => onChange({ ...route, search })}
      />
    ) : (
      <Loading what="Searching" />
    );
  return (
    <>
      {matches?.isRelaxed && (
        <p class="dim rest">No thought contains all of these words. These contain some of them.</p>
      )}
      <Head route={route} onChange={onChange} />
      {shown.map((session, at) => (
        <div key={session.id} class="row-box found">
          <SessionRow session={session} />
          <HitRows session={session} found={found} query={route.search} isFirst={at === 0} />
        </div>
      ))}
      <div ref={more} />
      <div class="foot">
        <span>
          {matches
            ? count < sessions.length
              ? `${count} of ${countOf(sessions.length, "session")} loaded`
              : `${countOf(sessions.length, "session")}, all loaded`
            : "Counting …"}
        </span>
        <Keys
          keys={[
            ["n N", "next, previous hit"],
            ["↵", "open at the thought"],
            [isMac() ? "⌘↵" : "Ctrl ↵", "open in a new tab"],
            ["f", "filter"],
            ["v", "sort"],
            [showKey("Escape", isMac()), "clear"],
          ]}
        />
      </div>
    </>
  );
}

/** Returns the sessions with matches. The order by match is by best hit, then by number of hits. */
function arrange(
  among: readonly Session[],
  found: Found,
  { sort = "match", isReversed }: SessionsRoute,
): readonly Session[] {
  const places = new Map<string, number>();
  for (const { sessionId } of found.ranked.value?.hits ?? [])
    if (!places.has(sessionId)) places.set(sessionId, places.size);
  const counts = found.matches.value?.bySession;
  const matching = among.filter(({ id }) => (counts ? counts.has(id) : places.has(id)));
  if (sort !== "match") return matching;
  const placeOf = ({ id }: Session) => places.get(id) ?? Number.POSITIVE_INFINITY;
  const countFor = ({ id }: Session) => counts?.get(id) ?? 0;
  const best = matching.toSorted((a, b) => {
    const [one, other] = [placeOf(a), placeOf(b)];
    return one === other ? countFor(b) - countFor(a) || lastSignOf(b) - lastSignOf(a) : one - other;
  });
  return isReversed ? best.reverse() : best;
}
