import { useEffect, useState } from "preact/hooks";
import { NONE } from "../model/columns.ts";
import { SessionDeeds } from "../parts/actions/what-it-did.tsx";
import { Notice } from "../parts/basics/banner.tsx";
import { useObservatory } from "../parts/basics/context.ts";
import { SessionBadge } from "../parts/frame/badge.tsx";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { ViewTabs } from "../parts/frame/view-tabs.tsx";
import { DamageBanner } from "../parts/session/damage-banner.tsx";
import { StagePill } from "../parts/session/stage-pill.tsx";
import { Story } from "../parts/session/story.tsx";
import { Timeline } from "../parts/session/timeline.tsx";
import { Detail } from "../parts/thought/detail.tsx";
import type { CompareRoute, SessionRoute } from "../route.ts";
import { projectOf } from "../state/sessions.ts";
import type { Watching } from "../state/watching.ts";
import { formatCount } from "../text/count-words.ts";
import { CompareView } from "./compare.tsx";
import { GraphStage } from "./graph.tsx";
import { Outline } from "./outline.tsx";

const SKELETON_AFTER = 200;

/** Shows the frame that all views of a session share. */
export function SessionView({ route, watching }: { route: SessionRoute | CompareRoute; watching: Watching }) {
  const info = watching.session.info.value;
  const phase = watching.session.phase.value;
  const isMissing = phase === "unknown" || phase === "deleted";
  return (
    <>
      <TopBar
        title={info?.title ?? (isMissing ? "Sessions" : "…")}
        project={info && projectOf(info)}
        badge={info && <SessionBadge session={info} />}
      >
        {!isMissing && <ViewTabs />}
      </TopBar>
      <Rail on="sessions" />
      {isMissing ? (
        <main class="home" id="main">
          <NotHere />
        </main>
      ) : (
        <SessionBody route={route} watching={watching} />
      )}
    </>
  );
}

export const SessionBody = ({
  route,
  watching,
}: {
  route: SessionRoute | CompareRoute;
  watching: Watching;
}) =>
  route.view === "compare" ? (
    <CompareView route={route} watching={watching} />
  ) : (
    <Watched route={route} watching={watching} />
  );

function Watched({ route, watching }: { route: SessionRoute; watching: Watching }) {
  const o = useObservatory();
  const selected = watching.selected.value;
  const isLoading = watching.session.phase.value === "loading";
  // Keep the panel's space while the thought is loading, so that the graph fits beside it.
  const isOpen = watching.detailOpen.value && route.thought !== undefined && (isLoading || selected !== NONE);
  watching.session.version.value;
  const isEmpty = watching.session.columns.value.size === 0;
  const hasActions = watching.session.done.value.all.length > 0;
  const showsDeeds =
    hasActions && !isOpen && o.view.value === "outline" && !o.narrow.value && watching.deedsOpen.value;
  return (
    <main
      class={`main${isOpen || showsDeeds ? " with-detail" : ""}${hasActions ? " with-actions" : ""}`}
      id="main"
    >
      <Story watching={watching} />
      <div class="stage-area">
        {isLoading ? null : o.view.value === "graph" ? (
          <GraphStage watching={watching} />
        ) : (
          <Outline watching={watching} />
        )}
        <div class="nothing">
          {isLoading && <Reading total={watching.session.total.value} />}
          {!isLoading && isEmpty && (
            <Notice title="No thoughts yet">The session is open. Its first thought will appear here.</Notice>
          )}
          {!isLoading && route.thought && selected === NONE && (
            <NoThought route={route} watching={watching} />
          )}
        </div>
        <StagePill watching={watching} />
        <DamageBanner session={watching.session} />
      </div>
      <Timeline watching={watching} />
      {isOpen && selected !== NONE && <Detail watching={watching} index={selected} />}
      {showsDeeds && (
        <SessionDeeds
          watching={watching}
          onClose={() => {
            watching.deedsOpen.value = false;
          }}
        />
      )}
    </main>
  );
}

/** Shown only if loading takes a moment, so that fast answers do not flicker. */
function Reading({ total }: { total: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SKELETON_AFTER);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div role="status">
      <div class="sk">
        <i />
        <i />
        <i />
        <i />
        <i />
      </div>
      <p class="dim">Reading {total > 0 ? `${formatCount(total)} ` : ""}thoughts …</p>
    </div>
  );
}

const NotHere = () => (
  <Notice
    title="Session not found"
    action={
      <a class="btn" href="#/sessions">
        All sessions
      </a>
    }
  >
    It may be in the trash, or its ID may be wrong.
  </Notice>
);

function NoThought({ route, watching }: { route: SessionRoute; watching: Watching }) {
  const o = useObservatory();
  const { columns } = watching.picture.value;
  const chain = route.thought?.branch === undefined ? 0 : columns.chainOf(route.thought.branch);
  const last = columns.chains[chain ?? 0]?.thoughts.at(-1) ?? NONE;
  const number = columns.number[last] ?? 0;
  return (
    <Notice
      title={`This session has no thought ${route.thought?.number}`}
      action={
        <button type="button" class="btn" onClick={() => o.select(last, { open: true })}>
          Go to {number}
        </button>
      }
    >
      The last thought is {number}.
    </Notice>
  );
}
