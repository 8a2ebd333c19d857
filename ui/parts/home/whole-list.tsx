import { useState } from "preact/hooks";
import { gist } from "../../model/gist.ts";
import { formatRoute } from "../../route.ts";
import { type HomeRoute, type News, SETTLED } from "../../route-lists.ts";
import type { DeadEnd, HomeNews, NewsLine } from "../../state/pages/home.ts";
import type { Session } from "../../state/thought.ts";
import { formatCount } from "../../text/count-words.ts";
import { SaveList } from "../basics/save-list.tsx";
import { Segments } from "../basics/segments.tsx";
import { newsTitles } from "./home-rail.tsx";
import { askedWords } from "./news-columns.tsx";
import { ConflictRow, ContradictionRow, NewsRow, TaskRow } from "./news-rows.tsx";

type Order = "newest" | "oldest" | "session";
type Shown = News | typeof SETTLED;
type Props = {
  name: Shown;
  route: HomeRoute;
  news: HomeNews;
  sessions: readonly Session[];
  now: number;
};

/** A list of conclusions can also show the dead ends, and a list of dead ends the conclusions. */
const others = {
  concluded: { name: "givenUp", words: "With dead ends" },
  givenUp: { name: "concluded", words: "With conclusions" },
} as const;

/** Shows the complete list for one section of the period. */
export function WholeList({ name, route, news, sessions, now }: Props) {
  const [order, setOrder] = useState<Order>("newest");
  const names = name === SETTLED ? (["concluded", "givenUp"] as const) : [name];
  const total = names.reduce((sum, one) => sum + news.counts[one], 0);
  const other = name === "concluded" || name === "givenUp" ? others[name] : undefined;
  const shown = names.reduce((sum, one) => sum + news[one].length, 0);
  return (
    <section class="whole">
      <div class="whole-head">
        <h3 class="h">
          {name === SETTLED ? "Conclusions and dead ends" : newsTitles[name]}{" "}
          <span class="num">
            {formatCount(total)}
            {news.hasMoreSessions && "+"}
          </span>
        </h3>
        <a class="more" href={formatRoute({ ...route, show: undefined })}>
          All sections
        </a>
        {other && news.counts[other.name] > 0 && (
          <a class="more" href={formatRoute({ ...route, show: SETTLED })}>
            {other.words}
          </a>
        )}
        <span class="grow" />
        <Segments<Order>
          label="Order"
          chosen={order}
          onChoose={setOrder}
          segments={[
            { name: "newest", words: "Newest" },
            { name: "oldest", words: "Oldest" },
            { name: "session", words: "By session" },
          ]}
        />
        <SaveList name={name.replace(",", "-")} rows={() => toRows(name, news)} />
      </div>
      <div class="rows">
        <Rows name={name} news={news} sessions={sessions} now={now} order={order} />
      </div>
      {total > shown && (
        <p class="dim rest">
          {formatCount(shown)} of {formatCount(total)} are shown.
        </p>
      )}
    </section>
  );
}

const timeOf = ({ reason, at }: DeadEnd): number => Date.parse(reason?.at ?? at);

/** Conclusions and dead ends, newest first. */
const settledOf = ({ concluded, givenUp }: HomeNews): DeadEnd[] =>
  [...concluded, ...givenUp].sort((a, b) => timeOf(b) - timeOf(a));

function sorted<Item>(
  items: readonly Item[],
  order: Order,
  groupOf: (item: Item) => string,
): readonly Item[] {
  if (order === "newest") return items;
  if (order === "oldest") return items.toReversed();
  return items.toSorted((a, b) => groupOf(a).localeCompare(groupOf(b)));
}

function Rows({ name, news, sessions, now, order }: Omit<Props, "route"> & { order: Order }) {
  switch (name) {
    case "contradicted":
      return (
        <>
          {sorted(news.contradicted, order, ({ by }) => by.sessionTitle).map((pair) => (
            <ContradictionRow key={`${pair.old.at}${pair.by.at}`} pair={pair} now={now} />
          ))}
        </>
      );
    case "tasks":
      return (
        <>
          {sorted(news.tasks, order, ({ workspace }) => workspace).map((task) => (
            <TaskRow key={`${task.workspace}${task.id}`} task={task} />
          ))}
        </>
      );
    case "conflicts":
      return (
        <>
          {sorted(news.conflicts, order, ({ into }) => into).map((one) => (
            <ConflictRow key={one.conflict_id} conflict={one} now={now} />
          ))}
        </>
      );
    default: {
      const lines: readonly DeadEnd[] = name === SETTLED ? settledOf(news) : news[name];
      return (
        <>
          {sorted(lines, order, ({ sessionTitle }) => sessionTitle).map((line) => (
            <NewsRow
              key={`${line.sessionId}${line.branchId}${line.thoughtNumber}`}
              line={line}
              now={now}
              {...(name === "unanswered" && { age: true, note: askedWords(line, sessions) })}
            />
          ))}
        </>
      );
    }
  }
}

const lineRow = ({ at, type, thoughtNumber, branchId, text, ...line }: NewsLine) => ({
  at,
  type,
  thought: thoughtNumber,
  branch: branchId,
  text: gist(text),
  session: line.sessionTitle,
  sessionId: line.sessionId,
  project: line.project,
  agent: line.agent,
});

function toRows(name: Shown, news: HomeNews): readonly Record<string, unknown>[] {
  switch (name) {
    case "tasks":
      return news.tasks;
    case "conflicts":
      return news.conflicts.map(({ fields, ...conflict }) => ({ ...conflict, fields: fields.join(" ") }));
    case "contradicted":
      return news.contradicted.map(({ old, by }) => ({
        ...lineRow(by),
        contradicts: old.thoughtNumber,
        contradictedText: gist(old.text),
      }));
    case "givenUp":
    case SETTLED:
      return (name === SETTLED ? settledOf(news) : news.givenUp).map(({ reason, ...line }) => ({
        ...lineRow(line),
        rejectedBy: reason?.thoughtNumber,
        reason: reason && gist(reason.text),
      }));
    default:
      return news[name].map(lineRow);
  }
}
