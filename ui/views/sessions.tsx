import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { showKey } from "../keys.ts";
import { Banner } from "../parts/basics/banner.tsx";
import { useNow } from "../parts/basics/clock.ts";
import { useCommand, useObservatory } from "../parts/basics/context.ts";
import { Icon } from "../parts/basics/icon.tsx";
import { Loading } from "../parts/basics/loading.tsx";
import { isMac } from "../parts/basics/platform.ts";
import { SaveList } from "../parts/basics/save-list.tsx";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { Filters, Tokens } from "../parts/sessions/filters.tsx";
import { FoundList } from "../parts/sessions/found-list.tsx";
import { isAscending, SessionList } from "../parts/sessions/session-list.tsx";
import type { SessionsRoute } from "../route-lists.ts";
import { livenessOf } from "../state/liveness.ts";
import { createFound, type Found } from "../state/pages/found.ts";
import { matches as matchesFilters, modelsOf, sorted, tookOf } from "../state/pages/listing.ts";
import { agentOf } from "../state/sessions.ts";
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

/** Shows all sessions, and a search over all thoughts. */
export function SessionsView({ route }: { route: SessionsRoute }) {
  const o = useObservatory();
  const server = o.server.value;
  const isWaiting = useFirstThought();
  const now = useNow();
  const found = useFound(route.search);
  if (!server || !found) return null;
  const { sessions } = server;
  const all = sessions.list.value;
  if (isWaiting) return <FirstRun />;
  const isSearch = route.search.trim() !== "";
  const matches = found.query.value === route.search.trim() ? found.matches.value?.bySession : undefined;
  const chosen = sorted(
    all.filter((session) => matchesFilters(session, route, now)),
    route,
  );
  const counted = !sessions.isWhole.value
    ? undefined
    : !isSearch
      ? all
      : matches && all.filter(({ id }) => matches.has(id));
  const onChange = (next: SessionsRoute) => o.navigation.go(next);
  const listed = matches ? chosen.filter(({ id }) => matches.has(id)) : chosen;
  return (
    <>
      <TopBar title="Sessions" />
      <Rail on="sessions">
        <Filters sessions={counted} all={all} route={route} now={now} onChange={onChange} />
      </Rail>
      <main class="page ss" id="main" tabIndex={-1}>
        <div class="fbar">
          <SearchField route={route} />
          <FilterButton />
          <SortButton route={route} />
          <SaveList
            name={isSearch ? "found-sessions" : "sessions"}
            rows={() => listed.map((session) => toRow(session, now, matches))}
          />
          <Count route={route} sessions={counted && listed} matches={matches} total={sessions.total.value} />
        </div>
        <Tokens route={route} now={now} onChange={onChange} />
        <NotRead />
        {!sessions.loaded.value ? (
          <Loading what="Reading sessions" />
        ) : isSearch ? (
          <FoundList route={route} found={found} among={chosen} all={all} onChange={onChange} />
        ) : (
          <SessionList sessions={chosen} route={route} onChange={onChange} />
        )}
      </main>
    </>
  );
}

function useFound(search: string): Found | undefined {
  const o = useObservatory();
  const server = o.server.value;
  const query = useSignal(search);
  query.value = search;
  const found = useMemo(
    () => server && createFound({ ...o.environment, get: server.get }, query),
    [o, server, query],
  );
  useEffect(() => found?.stop, [found]);
  return found;
}

type CountProps = {
  route: SessionsRoute;
  /** The sessions in the list. Undefined while the sessions are being counted. */
  sessions: readonly Session[] | undefined;
  matches: ReadonlyMap<string, number> | undefined;
  total: number;
};

/** Counts the whole list, even if only a part of it is loaded. */
function Count({ route, sessions, matches, total }: CountProps) {
  const count = (of: (session: Session) => number) =>
    sessions ? formatCount(sessions.reduce((sum, session) => sum + of(session), 0)) : "–";
  const own = sessions ? formatCount(sessions.length) : "–";
  const isSearch = route.search.trim() !== "";
  const thoughts = count(({ id, thoughtCount }) => (isSearch ? (matches?.get(id) ?? 0) : thoughtCount));
  return (
    <span class="cnt" role="status">
      {!isSearch ? (
        <>
          <b>{own}</b> {sessions?.length === 1 ? "session" : "sessions"} · <b>{thoughts}</b>{" "}
          {thoughts === "1" ? "thought" : "thoughts"}
        </>
      ) : (
        <>
          <b>{thoughts}</b> {thoughts === "1" ? "thought" : "thoughts"} in <b>{own}</b> of{" "}
          {countOf(total, "session")}
        </>
      )}
    </span>
  );
}

/** Shows that only a part of the sessions could be read. */
function NotRead() {
  const sessions = useObservatory().server.value?.sessions;
  const failure = sessions?.failure.value;
  if (failure === undefined) return null;
  return (
    <Banner
      title="Could not read the sessions"
      action={
        <button type="button" class="btn" onClick={sessions?.again}>
          Try again
        </button>
      }
    >
      {failure}
    </Banner>
  );
}

const toRow = (session: Session, now: number, matches: ReadonlyMap<string, number> | undefined) => ({
  id: session.id,
  title: session.title,
  project: session.project,
  tags: session.tags.join(" "),
  agent: agentOf(session),
  model: modelsOf(session).join(" "),
  state: livenessOf(session, now),
  thoughts: session.thoughtCount,
  branches: session.branchCount,
  started: session.createdAt,
  last: session.story?.lastAt ?? session.updatedAt,
  tookSeconds: Math.round(tookOf(session) / 1000),
  stands: session.story?.stands?.text,
  ...(matches && { matchingThoughts: matches.get(session.id) ?? 0 }),
});

function SearchField({ route }: { route: SessionsRoute }) {
  const o = useObservatory();
  const run = useCommand();
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
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing)
            run(event.metaKey || event.ctrlKey ? "open-hit-in-tab" : "open-hit");
          if (event.key === "ArrowDown") run("next-hit");
          if (event.key === "Backspace" && route.search === "") run("drop-filter");
        }}
      />
      <kbd aria-hidden="true">{route.search === "" ? "/" : showKey("Escape", isMac())}</kbd>
      {route.search !== "" && (
        <button
          type="button"
          class="ib clear"
          aria-label="Clear the search"
          onClick={() => {
            o.navigation.go({ ...route, search: "" });
            input.current?.focus();
          }}
        >
          <Icon name="close" />
        </button>
      )}
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
      aria-label={`Sorted by ${words.toLowerCase()}${route.isReversed ? ", reversed" : ""}`}
      onClick={() => run("sort")}
    >
      <span class={isAscending(route) ? "upward" : ""}>
        <Icon name="sort" />
      </span>
      <span class="lbl">{words}</span>
    </button>
  );
}
