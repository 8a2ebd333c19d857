import type { ComponentChildren } from "preact";
import { formatRoute, sessionRoute } from "../../route.ts";
import { type HomeRoute, NEWS, type News } from "../../route-lists.ts";
import { LIVENESS, livenessOf } from "../../state/liveness.ts";
import type { HomeNews } from "../../state/pages/home.ts";
import { NO_PROJECT, projectWords } from "../../state/sessions.ts";
import type { Session } from "../../state/thought.ts";
import { formatCount } from "../../text/count-words.ts";
import { formatAge } from "../../text/time-words.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { LivenessMark } from "../frame/badge.tsx";

export const newsTitles: Readonly<Record<News, string>> = {
  concluded: "Concluded",
  givenUp: "Dead ends",
  contradicted: "Contradicted",
  unanswered: "Unanswered",
  tasks: "Tasks moved",
  conflicts: "Conflicts",
};

type Props = {
  route: HomeRoute;
  news: HomeNews;
  /** The sessions in the selected project. */
  sessions: readonly Session[];
  /** The sessions in all projects, most recently active first. */
  all: readonly Session[];
  now: number;
  /** The period in words, such as `since 09:48`. */
  period: string;
};

const MOST_PROJECTS = 8;

/** Adds other recently active projects to those with news. Sessions without a project are last. */
function withQuiet(news: HomeNews["projects"], all: readonly Session[]): HomeNews["projects"] {
  const known = new Set(news.map(({ project }) => project));
  const quiet = [...new Set(all.map(({ project }) => project))].filter((project) => !known.has(project));
  const room = Math.max(0, MOST_PROJECTS - news.length);
  const shown = [...news, ...quiet.slice(0, room).map((project) => ({ project, sessions: 0 }))];
  return shown.toSorted((a, b) => Number(a.project === NO_PROJECT) - Number(b.project === NO_PROJECT));
}

/** Shows projects, agents, and counts of sessions and news. */
export function HomeRail({ route, news, sessions, all, now, period }: Props) {
  const inState = (state: string) => sessions.filter((one) => livenessOf(one, now) === state).length;
  const toProject = (project: string | undefined) => formatRoute({ ...route, project });
  const states = LIVENESS.filter((state) => state !== "ended");
  const projects = withQuiet(news.projects, all);
  const hasProjects = projects.some(({ project }) => project !== NO_PROJECT) || route.project;
  return (
    <div class="slist" tabIndex={0} role="group" aria-label="What happened">
      {hasProjects && (
        <>
          <h2 class="sgroup eyebrow">Projects</h2>
          <a class={route.project ? "fc" : "fc on"} href={toProject(undefined)}>
            All projects
            <span class="num">
              {formatCount(news.inAllProjects)}
              {news.hasMoreSessions && !route.project && "+"}
            </span>
          </a>
          {projects.map(({ project, sessions: count }) => (
            <a key={project} class={route.project === project ? "fc on" : "fc"} href={toProject(project)}>
              <PlainText text={projectWords(project)} />
              <span class="num">{formatCount(count)}</span>
            </a>
          ))}
        </>
      )}
      <h2 class="sgroup eyebrow">Agents now</h2>
      {states.map((state) => (
        <span key={state} class="fc still">
          <span class="fl">
            <LivenessMark state={state} />
            {`${state.charAt(0).toUpperCase()}${state.slice(1)}`}
          </span>
          <span class="num">{formatCount(inState(state))}</span>
        </span>
      ))}
      <span class="fc still">
        <span class="fl">
          <LivenessMark state="ended" />
          Ended {period}
        </span>
        <span class="num">{formatCount(news.ended)}</span>
      </span>
      <Transcripts {...news.transcripts} now={now} />
      {NEWS.some((name) => news.counts[name] > 0) && <h2 class="sgroup eyebrow">News {period}</h2>}
      {NEWS.filter((name) => news.counts[name] > 0).map((name) => (
        <a
          key={name}
          class={route.show?.split(",").includes(name) ? "fc on" : "fc"}
          href={formatRoute({ ...route, show: route.show === name ? undefined : name })}
        >
          {newsTitles[name]}
          <span class="num">
            {formatCount(news.counts[name])}
            {news.hasMoreSessions && "+"}
          </span>
        </a>
      ))}
    </div>
  );
}

const captureWords: Readonly<Record<HomeNews["transcripts"]["state"], string>> = {
  on: "Recorded",
  off: "Not recorded",
  paused: "Paused",
  unasked: "Not recorded yet",
};

const captureHints: Readonly<Record<HomeNews["transcripts"]["state"], ComponentChildren>> = {
  on: undefined,
  off: undefined,
  paused: (
    <>
      To continue, run <code>thoughtbox capture resume</code>.
    </>
  ),
  unasked: (
    <>
      To record what agents do, run <code>thoughtbox connect</code>.
    </>
  ),
};

/**
 * Shows the transcripts that Thoughtbox reads, latest first, and those that it leaves out. Absent if
 * recording is off and nothing was recorded.
 */
function Transcripts({ state, total, files, now }: HomeNews["transcripts"] & { now: number }) {
  if (state === "off" && total === 0 && files.length === 0) return null;
  return (
    <>
      <h2 class="sgroup eyebrow">Transcripts</h2>
      <span class="fc still">
        {captureWords[state]}
        <span class="num">{total > 0 ? formatCount(total) : ""}</span>
      </span>
      {captureHints[state] && <p class="rail-hint">{captureHints[state]}</p>}
      {files.map(({ at, sessionId = "", project = "", client = "A transcript", problem }) => {
        const words = (
          <>
            <span class="ell">
              <PlainText text={project === "" || project === NO_PROJECT ? client : `${client}, ${project}`} />
            </span>
            <span class="num">{problem === undefined ? formatAge(Date.parse(at), now) : "left out"}</span>
          </>
        );
        return sessionId === "" || problem !== undefined ? (
          <span key={`${sessionId} ${at}`} class="fc still" title={problem}>
            {words}
          </span>
        ) : (
          <a key={sessionId} class="fc" href={formatRoute(sessionRoute(sessionId))}>
            {words}
          </a>
        );
      })}
    </>
  );
}
