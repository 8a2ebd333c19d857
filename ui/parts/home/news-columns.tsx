import type { ComponentChildren } from "preact";
import { formatRoute } from "../../route.ts";
import { type HomeRoute, memoryRoute, type News } from "../../route-lists.ts";
import type { HomeNews, NewsLine } from "../../state/pages/home.ts";
import type { Session } from "../../state/thought.ts";
import { formatCount } from "../../text/count-words.ts";
import { newsTitles } from "./home-rail.tsx";
import { ConflictRow, ContradictionRow, NewsRow, TaskRow } from "./news-rows.tsx";

type Props = { route: HomeRoute; news: HomeNews; sessions: readonly Session[]; now: number };

/** Shows what happened (left) and what waits for someone (right). */
export function NewsColumns({ route, news, sessions, now }: Props) {
  const section = (name: News, children: ComponentChildren, beside?: ComponentChildren) =>
    news.counts[name] > 0 && (
      <section key={name}>
        <h3 class="h">
          {newsTitles[name]} <span class="num">{formatCount(news.counts[name])}</span>
          {beside}
        </h3>
        <div class="rows">{children}</div>
        {news.counts[name] > 5 && (
          <a class="more" href={formatRoute({ ...route, show: name })}>
            {formatCount(news.counts[name] - 5)} more
          </a>
        )}
      </section>
    );
  const lines = (list: readonly NewsLine[], more: { isAsked?: boolean } = {}) =>
    list.map((line) => (
      <NewsRow
        key={`${line.sessionId}${line.branchId}${line.thoughtNumber}`}
        line={line}
        now={now}
        {...(more.isAsked && { age: true, note: askedWords(line, sessions) })}
      />
    ));
  return (
    <div class="cols">
      <div>
        {section("concluded", lines(news.concluded))}
        {section("givenUp", lines(news.givenUp))}
        {section(
          "tasks",
          news.tasks.map((task) => <TaskRow key={`${task.workspace}${task.id}`} task={task} />),
        )}
      </div>
      <div>
        {section(
          "contradicted",
          news.contradicted.map((pair) => (
            <ContradictionRow key={`${pair.old.at}${pair.by.at}`} pair={pair} now={now} />
          )),
        )}
        {section("unanswered", lines(news.unanswered, { isAsked: true }))}
        {section(
          "conflicts",
          news.conflicts.map((one) => <ConflictRow key={one.conflict_id} conflict={one} now={now} />),
          <a class="more beside" href={formatRoute(memoryRoute({ workspace: news.conflicts[0]?.workspace }))}>
            Open in memory
          </a>,
        )}
      </div>
    </div>
  );
}

/**
 * Describes who a question is waiting for. Returns `undefined` if its session is not loaded or has continued
 * since.
 */
export function askedWords(line: NewsLine, sessions: readonly Session[]): string | undefined {
  const session = sessions.find(({ id }) => id === line.sessionId);
  if (session?.status === "completed") return "session ended";
  const last = session?.story?.last;
  const isLast = last?.thoughtNumber === line.thoughtNumber && last.branchId === line.branchId;
  return isLast ? "asked you" : undefined;
}
