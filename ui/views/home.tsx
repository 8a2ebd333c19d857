import type { ComponentChildren } from "preact";
import { Notice } from "../parts/basics/banner.tsx";
import { useNow } from "../parts/basics/clock.ts";
import { useCommand, useObservatory } from "../parts/basics/context.ts";
import { Icon } from "../parts/basics/icon.tsx";
import { Keys } from "../parts/basics/key-line.tsx";
import { BellButton } from "../parts/frame/bell-button.tsx";
import { Rail } from "../parts/frame/rail.tsx";
import { TopBar } from "../parts/frame/top-bar.tsx";
import { AgentsNow, agentsNow } from "../parts/home/agents-now.tsx";
import { HomeRail } from "../parts/home/home-rail.tsx";
import { Lanes } from "../parts/home/lanes.tsx";
import { NewsColumns } from "../parts/home/news-columns.tsx";
import { NothingNew } from "../parts/home/nothing-new.tsx";
import { PeriodChoice } from "../parts/home/period-choice.tsx";
import { inWords, midnightOf, periodWords, titleOf } from "../parts/home/period-words.ts";
import { WholeList } from "../parts/home/whole-list.tsx";
import type { HomeRoute } from "../route-lists.ts";
import { asksUser } from "../state/liveness.ts";
import type { HomeNews } from "../state/pages/home.ts";
import type { Session } from "../state/thought.ts";
import { countOf } from "../text/count-words.ts";
import { formatMoment } from "../text/time-words.ts";
import { FirstRun, useFirstThought } from "./first-run.tsx";

/** Shows news since your last visit, in all projects. */
export function HomeView({ route }: { route: HomeRoute }) {
  const o = useObservatory();
  const server = o.server.value;
  const isWaiting = useFirstThought();
  const now = useNow();
  if (!server) return null;
  if (isWaiting) return <FirstRun />;
  const { home, sessions } = server;
  const news = home.shown.value;
  const since = home.since.value;
  const period = periodWords(route, since, now);
  const here = sessions.list.value.filter(({ project }) => !route.project || project === route.project);
  return (
    <>
      <TopBar title="Home" acts={<BellButton />} />
      <Rail on="home">
        {news ? (
          <HomeRail
            route={route}
            news={news}
            sessions={here}
            all={sessions.list.value}
            now={now}
            period={period}
          />
        ) : (
          <div class="slist" />
        )}
      </Rail>
      <main class="page" id="main" tabIndex={-1}>
        {news ? (
          <Shown route={route} news={news} sessions={here} since={since} now={now} />
        ) : home.failure.value === undefined ? (
          <div class="hm loading" role="status" aria-label="Reading" />
        ) : (
          <Notice
            title="Could not load recent activity"
            action={
              <button type="button" class="btn" onClick={home.again}>
                Try again
              </button>
            }
          >
            {home.failure.value}
          </Notice>
        )}
      </main>
    </>
  );
}

type Props = {
  route: HomeRoute;
  news: HomeNews;
  sessions: readonly Session[];
  since: number;
  now: number;
};

function Shown({ route, news, sessions, since, now }: Props) {
  const o = useObservatory();
  const waiting = o.server.value?.home.waiting.value ?? 0;
  const working = agentsNow(sessions, now);
  const asking = working.filter((session) => asksUser(session, now)).length;
  const isEmpty =
    asking === 0 && news.lanes.length === 0 && Object.values(news.counts).every((count) => count === 0);
  return (
    <div class="hm">
      <Head route={route} news={news} since={since} now={now} isEmpty={isEmpty} asking={asking} />
      {waiting > 0 && (
        <button type="button" class="pill-news" onClick={() => o.server.value?.home.update()}>
          {countOf(waiting, "row")} changed · <b>Show</b>
        </button>
      )}
      {route.show ? (
        <WholeList name={route.show} news={news} sessions={sessions} now={now} route={route} />
      ) : isEmpty ? (
        <NothingNew sessions={sessions} project={route.project} now={now} />
      ) : (
        <>
          <AgentsNow working={working} now={now} />
          <Lanes lanes={news.lanes} total={news.sessions} since={since} now={now} />
          <NewsColumns route={route} news={news} sessions={sessions} now={now} />
        </>
      )}
      <Keys keys={keysFor(isEmpty, route.show === undefined ? working.length : 0)} />
    </div>
  );
}

/** Returns the keys that work on this page. `agents` is the number of agents that are shown. */
const keysFor = (isEmpty: boolean, agents: number): readonly (readonly [string, string])[] => [
  ["j k", "next, previous"],
  ["↵", "open"],
  ...(agents > 0 && !isEmpty ? [["1 2 3".slice(0, 2 * agents - 1), "agents now"] as const] : []),
  ...(isEmpty ? [] : [["s", "mark as seen"] as const]),
  ["g s", isEmpty ? "all sessions" : "sessions"],
  ["?", "all keys"],
];

type HeadProps = Pick<Props, "route" | "news" | "since" | "now"> & {
  isEmpty: boolean;
  /** The number of agents that asked their user something outside their thoughts and are waiting for an answer. */
  asking: number;
};

function Head({ route, news, since, now, isEmpty, asking }: HeadProps) {
  const o = useObservatory();
  const run = useCommand();
  const lastSeen = o.server.value?.visit.since.value ?? since;
  const visit = `Since ${formatMoment(lastSeen, now)}`;
  const isFirstToday = lastSeen === midnightOf(now);
  const chosen = isFirstToday && route.since === "visit" ? "today" : route.since;
  const title = titleOf(chosen, visit, since);
  return (
    <div class="hmh">
      <div>
        <h2 class="big">{isEmpty ? `Nothing new ${periodWords(route, since, now)}` : title}</h2>
        <p>
          {isEmpty ? (
            `There are no new thoughts, questions or moved tasks ${inWords(route, since, now)}.`
          ) : (
            <Sentence news={news} asking={asking} />
          )}
        </p>
      </div>
      <div class="acts">
        <PeriodChoice
          chosen={chosen}
          visit={isFirstToday ? undefined : visit}
          since={since}
          now={now}
          onChoose={(period) => o.navigation.go({ ...route, since: period })}
        />
        {!isEmpty && (
          <button type="button" class="btn hid" onClick={() => run("mark-seen")}>
            <Icon name="check" />
            Mark as seen <kbd aria-hidden="true">s</kbd>
          </button>
        )}
      </div>
    </div>
  );
}

/** Shows one sentence with counts. Zeros are left out. */
function Sentence({
  news: { counts, isComplete, hasMoreSessions, sessions },
  asking,
}: {
  news: HomeNews;
  asking: number;
}) {
  const parts: ComponentChildren[] = [];
  const add = (count: number, words: string, isBold = false) => {
    if (count > 0) parts.push(isBold ? <b key={words}>{words}</b> : words);
  };
  add(counts.concluded, countOf(counts.concluded, "conclusion"), true);
  add(counts.givenUp, countOf(counts.givenUp, "dead end"));
  add(counts.contradicted, countOf(counts.contradicted, "contradiction"), true);
  const asks = counts.unanswered;
  return (
    <>
      {hasMoreSessions && parts.length > 0 && "At least "}
      {parts.map((part, at) => (
        <span key={at}>
          {at > 0 && ", "}
          {part}
        </span>
      ))}
      {parts.length > 0 && ". "}
      {asks > 0 && `${countOf(asks, "question")} ${asks === 1 ? "is" : "are"} waiting for an answer. `}
      {asking > 0 && `${countOf(asking, "agent")} ${asking === 1 ? "is" : "are"} waiting for your answer. `}
      {parts.length === 0 && asks + asking === 0 && "There are no new conclusions, dead ends or questions. "}
      {hasMoreSessions
        ? `This period has more than ${countOf(sessions, "session")}. These figures cover only the most recent sessions.`
        : !isComplete &&
          "This period has too much activity to count in full. These figures cover only the most recent part."}
    </>
  );
}
