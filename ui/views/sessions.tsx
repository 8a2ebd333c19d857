import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Notice } from "../parts/basics/banner.tsx";
import { useNow } from "../parts/basics/clock.ts";
import { useObservatory } from "../parts/basics/context.ts";
import { Icon } from "../parts/basics/icon.tsx";
import { Segments } from "../parts/basics/segments.tsx";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { type Facet, Facets, matches } from "../parts/session/facets.tsx";
import { HitRows, SessionRow } from "../parts/session/session-row.tsx";
import { LIVENESS, type Liveness, livenessOf } from "../state/liveness.ts";
import { createSearch, type Hit } from "../state/search.ts";
import type { Session } from "../state/thought.ts";
import { countOf } from "../text/count-words.ts";
import { FirstRun, useFirstThought } from "./first-run.tsx";

type Shown = Liveness | "all";
const meanings: Readonly<Record<Liveness, string>> = {
  thinking: "a thought in the last two minutes",
  open: "a thought in the last hour",
  quiet: "not closed, and no thought for an hour",
  ended: "closed",
};
const MOST_ROWS = 200;

/** Every session, and a search over every thought. */
export function SessionsView({ search }: { search: string }) {
  const o = useObservatory();
  const server = o.server.value;
  const shown = useSignal<Shown>("all");
  const facet = useSignal<Facet | undefined>(undefined);
  const isWaiting = useFirstThought();
  const now = useNow();
  if (!server) return null;
  const { list, total } = server.sessions;
  if (isWaiting) return <FirstRun />;
  const inFacet = list.value.filter((session) => matches(session, facet.value));
  const inState = (state: Liveness) => inFacet.filter((session) => livenessOf(session, now) === state);
  const chosen = shown.value === "all" ? inFacet : inState(shown.value);
  const isFiltered = shown.value !== "all" || facet.value !== undefined;
  return (
    <>
      <TopBar title="Sessions" />
      <Rail on="sessions">
        <Facets
          sessions={list.value}
          chosen={facet.value}
          onChoose={(next) => {
            facet.value = next;
          }}
        />
      </Rail>
      <main class="home" id="main">
        <div class="hh">
          <SearchField search={search} />
          <Segments<Shown>
            label="State"
            chosen={shown.value}
            onChoose={(next) => {
              shown.value = next;
            }}
            segments={[
              { name: "all", words: "All" },
              ...LIVENESS.map((state) => {
                const words = `${state.charAt(0).toUpperCase()}${state.slice(1)} ${inState(state).length}`;
                return { name: state, words, title: `${words}: ${meanings[state]}` };
              }),
            ]}
          />
          {search === "" && (
            <span class="sum">
              {countOf(isFiltered ? chosen.length : total.value, "session")} ·{" "}
              {countOf(
                chosen.reduce((sum, { thoughtCount }) => sum + thoughtCount, 0),
                "thought",
              )}
            </span>
          )}
        </div>
        {search === "" ? <Table sessions={chosen} /> : <Found search={search} among={chosen} />}
      </main>
    </>
  );
}

function SearchField({ search }: { search: string }) {
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
        value={search}
        maxLength={200}
        onInput={(event) => o.navigation.go({ view: "sessions", search: event.currentTarget.value })}
      />
      <kbd>/</kbd>
    </label>
  );
}

const Head = () => (
  <div class="th" aria-hidden="true">
    <span>Session</span>
    <span class="c-bar">Reasoning, first to last</span>
    <span class="rt">Thoughts</span>
    <span class="rt c-branches">Branches</span>
    <span class="rt c-took">Took</span>
    <span class="c-state">State</span>
    <span class="rt">Last thought</span>
  </div>
);

const Table = ({ sessions }: { sessions: readonly Session[] }) => (
  <>
    <Head />
    {sessions.length === 0 && <Notice title="No session here">Choose another state, project or tag.</Notice>}
    {sessions.slice(0, MOST_ROWS).map((session) => (
      <SessionRow key={session.id} session={session} />
    ))}
    {sessions.length > MOST_ROWS && (
      <p class="dim rest">{sessions.length - MOST_ROWS} older sessions: search finds them.</p>
    )}
  </>
);

/** Hits by session, each a way to its thought. */
function Found({ search, among }: { search: string; among: readonly Session[] }) {
  const o = useObservatory();
  const server = o.server.value;
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
  if (shown.length === 0)
    return <Notice title={`No thought says “${search}”`}>Fewer or other words may find it.</Notice>;
  const thoughts = shown.reduce((sum, [, hits]) => sum + hits.filter(({ thought }) => thought).length, 0);
  return (
    <>
      <p class="dim rest" role="status">
        {countOf(thoughts, "thought")}
        {found.hasMore ? " and more" : ""} in {countOf(shown.length, "session")} · {Math.round(found.took)} ms
      </p>
      <Head />
      {shown.map(([id, hits]) => (
        <div key={id}>
          <SessionRow session={known.get(id) as Session} />
          <HitRows hits={hits} query={search} />
        </div>
      ))}
    </>
  );
}
