import { useEffect, useState } from "preact/hooks";
import type { Plan, Task } from "../../state/memory.ts";
import { agentName } from "../../text/agent-names.ts";
import { countOf, formatCount } from "../../text/count-words.ts";
import { formatAge, formatMoment } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { useSteadyOrder } from "../basics/steady-order.ts";
import { Tick } from "../home/news-rows.tsx";
import { CardChip } from "./card.tsx";
import { Holder } from "./holder.tsx";
import { SaidIn } from "./said-in.tsx";

const columns = [
  { state: "ready", words: "Ready" },
  { state: "active", words: "In progress" },
  { state: "blocked", words: "Blocked" },
  { state: "done", words: "Done" },
] as const;

const MOST_DONE = 10;
const MOST_BARS = 40;

/** Sorts tasks by number, and completed tasks latest first. */
const byColumn = (tasks: readonly Task[]): Task[] =>
  columns.flatMap(({ state }) => {
    const own = tasks.filter((task) => task.state === state);
    return state === "done" ? own.sort((a, b) => b.updatedAt - a.updatedAt) : own;
  });

type Props = {
  plan: Plan | undefined;
  tasks: readonly Task[];
  /** Whether there are more tasks than these. */
  hasMore: boolean;
  chosen: string | undefined;
  onChoose: (id: string) => void;
};

/** Shows a plan as a board, always with four columns. Cards move only when the user asks. */
export function Kanban({ plan, tasks, hasMore, chosen, onChoose }: Props) {
  useEffect(() => {
    if (chosen !== undefined) document.querySelector(".kt.on")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const { shown, groupOf, waiting, update } = useSteadyOrder(byColumn(tasks), plan?.id ?? "none", {
    groupNow: ({ state }) => state,
  });
  const canceled = tasks.filter(({ isCanceled }) => isCanceled).length;
  const done = tasks.filter(({ state }) => state === "done").length - canceled;
  const order = ["done", "active", "ready", "blocked"];
  const bars = [...tasks].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state)).slice(0, MOST_BARS);
  return (
    <>
      {plan && (
        <div class="plan-head">
          <h2>
            <PlainText text={plan.title} />
          </h2>
          <span class="num">{plan.id}</span>
          <span class="steps" aria-hidden="true">
            {bars.map(({ id, state }) => (
              <i key={id} class={state === "done" ? "d" : state === "active" ? "n" : ""} />
            ))}
          </span>
          <span class="num">
            {formatCount(done)} of {formatCount(tasks.length)}
            {hasMore && "+"} done{canceled > 0 && `, ${formatCount(canceled)} canceled`}
          </span>
        </div>
      )}
      {waiting > 0 && (
        <button type="button" class="pill-news" onClick={update}>
          {countOf(waiting, "task")} changed · <b>Show</b>
        </button>
      )}
      <div class="kan">
        {columns.map(({ state, words }) => (
          <Column
            key={state}
            state={state}
            words={words}
            tasks={shown.filter((task) => groupOf(task) === state)}
            chosen={chosen}
            onChoose={onChoose}
          />
        ))}
      </div>
    </>
  );
}

type ColumnProps = Omit<Props, "plan" | "hasMore"> & { state: Task["state"]; words: string };

function Column({ state, words, tasks, chosen, onChoose }: ColumnProps) {
  const { narrow } = useObservatory();
  const [isWhole, setWhole] = useState(false);
  /** Undefined until the user folds or unfolds the column. An empty column is folded at first. */
  const [isFolded, setFolded] = useState<boolean>();
  const isOpen = !narrow.value || !(isFolded ?? tasks.length === 0);
  const most = !isOpen ? 0 : state === "done" && !isWhole ? MOST_DONE : tasks.length;
  const shown = tasks.slice(0, most);
  const head = (
    <>
      <Tick state={state} />
      {words} <span class="num">{formatCount(tasks.length)}</span>
    </>
  );
  return (
    <section class="kc" aria-label={words}>
      <h3>
        {narrow.value ? (
          <button type="button" aria-expanded={isOpen} onClick={() => setFolded(isOpen)}>
            {head}
            <Icon name={isOpen ? "down" : "right"} />
          </button>
        ) : (
          head
        )}
      </h3>
      {isOpen && tasks.length === 0 && <p class="kn">none</p>}
      {shown.map((task) => (
        <TaskCard key={task.id} task={task} isOn={task.id === chosen} onChoose={() => onChoose(task.id)} />
      ))}
      {isOpen && shown.length < tasks.length && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          {formatCount(tasks.length - shown.length)} more
        </button>
      )}
    </section>
  );
}

function TaskCard({ task, isOn, onChoose }: { task: Task; isOn: boolean; onChoose: () => void }) {
  const now = useNow();
  const { id, title, steps, state, updatedAt } = task;
  const done = steps.filter(({ completed }) => completed).length;
  const next = steps.find(({ completed }) => !completed);
  const leased = steps.find(({ leasedBy }) => leasedBy !== undefined) ?? steps.find(({ lease }) => lease);
  const worker = state === "done" ? (task.closed?.by ?? task.assignee) : task.assignee;
  const look = state === "active" ? " now" : state === "done" ? " done" : "";
  const said = task.reasons.flatMap(({ thought }) => thought ?? []);
  const card = (
    <button
      type="button"
      class={`kt${look}${isOn ? " on" : ""}`}
      aria-pressed={isOn}
      onClick={onChoose}
      data-row
    >
      <span class="h">
        <span class="num">{id}</span>
        {steps.length > 0 && (
          <span class="r">
            {done}/{steps.length}
          </span>
        )}
      </span>
      <b>
        <PlainText text={title} />
      </b>
      {state !== "done" && steps.length > 0 && (
        <span class="steps stp" aria-hidden="true">
          {steps.map((step) => (
            <i
              key={step.path}
              class={step.completed ? "d" : step === next && state === "active" ? "n" : ""}
            />
          ))}
        </span>
      )}
      {state === "active" && next && (
        <span class="step">
          <Tick state="active" />
          <PlainText text={next.title} />
        </span>
      )}
      {task.outcome && (
        <span class="step">
          <CardChip type={task.outcome.type} />
          <PlainText text={task.outcome.title} />
        </span>
      )}
      {task.reasons.map(({ text, step }) => (
        <span key={text} class="blkr">
          <PlainText text={text} />
          {step !== undefined && (
            <span class="at">
              at step <PlainText text={step} />
            </span>
          )}
        </span>
      ))}
      <span class="ft">
        {state !== "done" && leased?.lease && <Holder step={leased} lease={leased.lease} now={now} />}
        {task.isCanceled && <span>canceled</span>}
        {state === "done" && <span>{formatMoment(task.closed?.at ?? updatedAt, now)}</span>}
        {state === "ready" && <span>ready {sinceWords(updatedAt, now)}</span>}
        {state === "blocked" && <span>blocked {sinceWords(updatedAt, now)}</span>}
        {worker !== undefined && !leased?.lease && (
          <span class="r">
            <PlainText text={agentName(worker)} />
          </span>
        )}
      </span>
    </button>
  );
  if (said.length === 0) return card;
  // A link cannot be inside a button, so it is placed over the card.
  return (
    <div class="kw">
      {card}
      <span class="said">
        {[...new Set(said)].map((id) => (
          <SaidIn key={id} thought={id} />
        ))}
      </span>
    </div>
  );
}

const HOUR = 60 * 60_000;

/** Returns `for 34 min`, or `since Tue 13:20`. */
const sinceWords = (at: number, now: number): string =>
  now - at < 3 * HOUR ? `for ${formatAge(at, now)}` : `since ${formatMoment(at, now)}`;
