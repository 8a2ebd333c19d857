import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Notice } from "../parts/basics/banner.tsx";
import { useNow } from "../parts/basics/clock.ts";
import { useCommand, useObservatory } from "../parts/basics/context.ts";
import { Icon } from "../parts/basics/icon.tsx";
import { Keys } from "../parts/basics/key-line.tsx";
import { SaveList } from "../parts/basics/save-list.tsx";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { Filters, Tokens } from "../parts/sessions/filters.tsx";
import { HitRows } from "../parts/sessions/hits.tsx";
import { Head, SessionList } from "../parts/sessions/session-list.tsx";
import { SessionRow } from "../parts/sessions/session-row.tsx";
import { type SessionsRoute, sessionsRoute } from "../route-lists.ts";
import { livenessOf } from "../state/liveness.ts";
import { matches, sorted, tookOf } from "../state/pages/listing.ts";
import { createSearch, type Hit } from "../state/search.ts";
import type { Session } from "../state/thought.ts";
import { countOf, formatCount } from "../text/count-words.ts";
import { FirstRun, useFirstThought } from "./first-run.tsx";

const sortWords = {
  last: "Last thought",
  started: "Started",
  thoughts: "Thoughts",
  took: "Time taken",
  title: "Title",
  match: "Best match",
} as const;

/** All sessions, and a search over all thoughts. */
export function SessionsView({ route }: { route: SessionsRoute }) {
  const o = useObservatory();
  const server = o.server.value;
  const isWaiting = useFirstThought();
  const now = useNow();
  if (!server) return null;
  const all = server.sessions.list.value;
  if (isWaiting) return <FirstRun />;
  const chosen = sorted(
    all.filter((session) => matches(session, route, now)),
    route,
  );
  const onChange = (next: SessionsRoute) => o.navigation.go(next);
  return (
    <>
      <TopBar title="Sessions" />
      <Rail on="sessions">
        <Filters sessions={all} route={route} now={now} onChange={onChange} />
      </Rail>
      <main class="page ss" id="main" tabIndex={-1}>
        <div class="fbar">
          <SearchField route={route} />
          <FilterButton />
          <SortButton route={route} />
          {route.search === "" && (
            <>
              <SaveList name="sessions" rows={() => chosen.map((session) => toRow(session, now))} />
              <span class="cnt">
                <b>{formatCount(chosen.length)}</b> {chosen.length === 1 ? "session" : "sessions"} ·{" "}
                <b>{formatCount(chosen.reduce((sum, { thoughtCount }) => sum + thoughtCount, 0))}</b> thoughts
              </span>
            </>
          )}
        </div>
        <Tokens route={route} onChange={onChange} />
        {route.search === "" ? (
          <SessionList sessions={chosen} route={route} onChange={onChange} />
        ) : (
          <Found route={route} among={chosen} onChange={onChange} />
        )}
      </main>
    </>
  );
}

const toRow = (session: Session, now: number) => ({
  id: session.id,
  title: session.title,
  project: session.project,
  tags: session.tags.join(" "),
  agents: session.story?.agents.join(" "),
  state: livenessOf(session, now),
  thoughts: session.thoughtCount,
  branches: session.branchCount,
  started: session.createdAt,
  last: session.story?.lastAt ?? session.updatedAt,
  tookSeconds: Math.round(tookOf(session) / 1000),
  stands: session.story?.stands?.text,
});

function SearchField({ route }: { route: SessionsRoute }) {
  const o = useObservatory();
  const input = useRef<HTMLInputElement>(null);
  return (
    <label class="field">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        data-search
        aria-label="Search every thought"
        placeholder="Search every thought"
        value={route.search}
        maxLength={200}
        onInput={(event) => o.navigation.go({ ...route, search: event.currentTarget.value })}
      />
      <kbd>/</kbd>
    </label>
  );
}

function FilterButton() {
  const run = useCommand();
  return (
    <button type="button" class="btn" aria-label="Filter" onClick={() => run("filter")}>
      <Icon name="filter" />
      <span class="lbl">Filter</span>
    </button>
  );
}

function SortButton({ route }: { route: SessionsRoute }) {
  const run = useCommand();
  const words = sortWords[route.sort ?? (route.search === "" ? "last" : "match")];
  return (
    <button
      type="button"
      class="btn"
      aria-label={`Sorted by ${words.toLowerCase()}`}
      onClick={() => run("sort")}
    >
      <Icon name="sort" />
      <span class="lbl">{words}</span>
    </button>
  );
}

type FoundProps = {
  route: SessionsRoute;
  among: readonly Session[];
  onChange: (route: SessionsRoute) => void;
};

/** Hits by session, each linked to its thought. */
function Found({ route, among, onChange }: FoundProps) {
  const o = useObservatory();
  const server = o.server.value;
  const { search } = route;
  const query = useSignal(search);
  query.value = search;
  const searching = useMemo(
    () => server && createSearch({ ...o.environment, get: server.get }, query),
    [o, server, query],
  );
  useEffect(() => searching?.stop, [searching]);
  const found = useComputed(() => searching?.found.value).value;
  if (!found || found.query !== search.trim()) return <p class="dim rest">Searching …</p>;
  if (found.failed !== undefined) return <Notice title="The search failed">{found.failed}</Notice>;
  const bySession = new Map<string, Hit[]>();
  for (const hit of found.hits) bySession.set(hit.sessionId, [...(bySession.get(hit.sessionId) ?? []), hit]);
  const known = new Map(among.map((session) => [session.id, session]));
  const shown = [...bySession].filter(([id]) => known.has(id));
  const ordered =
    route.sort === undefined || route.sort === "match"
      ? shown
      : among.flatMap(({ id }) => shown.filter(([other]) => other === id));
  const isFiltered = shown.length < bySession.size;
  if (shown.length === 0)
    return (
      <Notice
        title={`No thought contains “${search}”`}
        action={
          isFiltered && (
            <button type="button" class="btn" onClick={() => onChange(sessionsRoute({ search }))}>
              Search without filters ({found.hits.length})
            </button>
          )
        }
      >
        Try fewer or different words.
      </Notice>
    );
  const thoughts = shown.reduce((sum, [, hits]) => sum + hits.filter(({ thought }) => thought).length, 0);
  return (
    <>
      <p class="dim rest" role="status">
        {countOf(thoughts, "thought")}
        {found.hasMore ? " and more" : ""} in {countOf(shown.length, "session")} · {Math.round(found.took)} ms
      </p>
      <Head route={route} onChange={onChange} />
      {ordered.map(([id, hits]) => (
        <div key={id}>
          <SessionRow session={known.get(id) as Session} />
          <HitRows hits={hits} query={search} />
        </div>
      ))}
      <div class="foot only-keys">
        <Keys
          keys={[
            ["j k", "move"],
            ["↵", "open at the thought"],
            ["f", "filter"],
            ["/", "search"],
            ["v", "sort"],
          ]}
        />
      </div>
    </>
  );
}
