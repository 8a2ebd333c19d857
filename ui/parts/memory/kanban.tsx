import { useState } from "preact/hooks";
import type { Plan, Task } from "../../state/memory.ts";
import { agentName } from "../../text/agent-names.ts";
import { formatCount } from "../../text/count-words.ts";
import { formatMoment } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { Tick } from "../home/news-rows.tsx";

const columns = [
  { state: "ready", words: "Ready" },
  { state: "active", words: "In progress" },
  { state: "blocked", words: "Blocked" },
  { state: "done", words: "Done" },
] as const;

const MOST_DONE = 10;

/** In the order of their numbers; what is done, the latest first. */
const inColumn = (tasks: readonly Task[], state: Task["state"]): Task[] => {
  const own = tasks.filter((task) => task.state === state);
  return state === "done" ? own.sort((a, b) => b.updatedAt - a.updatedAt) : own;
};

type Props = {
  plan: Plan | undefined;
  tasks: readonly Task[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
};

/** A plan as a board. There are always four columns. */
export function Kanban({ plan, tasks, chosen, onChoose }: Props) {
  const done = tasks.filter(({ state }) => state === "done").length;
  return (
    <>
      {plan && (
        <div class="plan-head">
          <h2>
            <PlainText text={plan.title} />
          </h2>
          <span class="num">{plan.id}</span>
          <span class="steps" aria-hidden="true">
            {tasks.map(({ id, state }) => (
              <i key={id} class={state === "done" ? "d" : state === "active" ? "n" : ""} />
            ))}
          </span>
          <span class="num">
            {done} of {tasks.length} done
          </span>
        </div>
      )}
      <div class="kan">
        {columns.map(({ state, words }) => (
          <Column
            key={state}
            state={state}
            words={words}
            tasks={inColumn(tasks, state)}
            chosen={chosen}
            onChoose={onChoose}
          />
        ))}
      </div>
    </>
  );
}

type ColumnProps = Omit<Props, "plan"> & { state: Task["state"]; words: string };

function Column({ state, words, tasks, chosen, onChoose }: ColumnProps) {
  const [isWhole, setWhole] = useState(false);
  const shown = state === "done" && !isWhole ? tasks.slice(0, MOST_DONE) : tasks;
  return (
    <section class="kc" aria-label={words}>
      <h3>
        <Tick state={state} />
        {words} <span class="num">{formatCount(tasks.length)}</span>
      </h3>
      {shown.map((task) => (
        <TaskCard key={task.id} task={task} isOn={task.id === chosen} onChoose={() => onChoose(task.id)} />
      ))}
      {shown.length < tasks.length && (
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
  const holder = steps.find(({ leasedBy }) => leasedBy !== undefined)?.leasedBy;
  const look = state === "active" ? " now" : state === "done" ? " done" : "";
  return (
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
      {task.reasons.map((reason) => (
        <span key={reason} class="blkr">
          <PlainText text={reason} />
        </span>
      ))}
      <span class="ft">
        {holder !== undefined && (
          <span class="who">
            <Icon name="user" size={12} />
            <PlainText text={agentName(holder)} />
          </span>
        )}
        {state === "done" && <span>{formatMoment(updatedAt, now)}</span>}
        {state === "ready" && <span>ready since {formatMoment(updatedAt, now)}</span>}
        {state === "blocked" && <span>blocked since {formatMoment(updatedAt, now)}</span>}
      </span>
    </button>
  );
}
