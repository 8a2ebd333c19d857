import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatRoute, sessionRoute } from "../../route.ts";
import type { Card, Task } from "../../state/memory.ts";
import { nameOf } from "../../state/pages/files.ts";
import { readCardsOf } from "../../state/pages/memory-parts.ts";
import { agentName } from "../../text/agent-names.ts";
import { formatCount } from "../../text/count-words.ts";
import { formatMoment } from "../../text/time-words.ts";
import { useNow } from "../basics/clock.ts";
import { useObservatory } from "../basics/context.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";
import { Tick } from "../home/news-rows.tsx";
import { CardChip } from "./card.tsx";
import { SaidIn } from "./said-in.tsx";

const MOST = 8;

type Props = {
  workspace: string;
  task: Task;
  /** Shows the cards of the task, or one of them. */
  onCards: (card: string | undefined) => void;
  onClose: () => void;
};

/** Shows an open task: its steps and blockers, its cards, and the thoughts they come from. */
export function TaskPanel({ workspace, task, onCards, onClose }: Props) {
  const cards = useCards(workspace, task);
  const thoughts = [...new Set(cards.flatMap(({ thought }) => thought ?? []))].flatMap(
    (id) => nameOf(id) ?? [],
  );
  const next = task.steps.find(({ completed }) => !completed);
  return (
    <aside class="task-panel" aria-label={`Task ${task.id}`}>
      <div class="bh">
        <div class="who">
          <h2>
            <PlainText text={task.title} />
          </h2>
          <span class="num">{task.id}</span>
        </div>
        <button type="button" class="ib" aria-label="Close" title="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div class="tb" tabIndex={0} role="group" aria-label={`Steps of ${task.id}`}>
        {task.steps.length === 0 && <p class="dim">This task has no steps.</p>}
        {task.steps.map((step) => (
          <div key={step.path} class="step">
            <Tick
              state={step.completed ? "done" : step === next && task.state === "active" ? "active" : "ready"}
            />
            <span>
              <PlainText text={step.title} />
              {step.completed && <span class="off-screen"> (done)</span>}
              {step.leasedBy !== undefined && (
                <span class="dim">
                  {" "}
                  held by <PlainText text={agentName(step.leasedBy)} />
                </span>
              )}
            </span>
          </div>
        ))}
        {task.state === "done" && <Closed task={task} cards={cards.slice(0, MOST)} />}
        {task.reasons.map(({ text, step, thought }) => (
          <p key={text} class="blkr">
            <PlainText text={text} />
            {step !== undefined && (
              <span class="at">
                at step <PlainText text={step} />
              </span>
            )}
            {thought !== undefined && (
              <span class="said">
                <SaidIn thought={thought} />
              </span>
            )}
          </p>
        ))}
        <Section title="Cards" count={cards.length}>
          {cards.slice(0, MOST).map(({ id, type, title, status }) => (
            <button key={id} type="button" class="tcl" onClick={() => onCards(id)}>
              <CardChip type={type} hollow={status === "rejected"} />
              <span class="ell">
                <PlainText text={title} />
              </span>
              <span class="num">
                <PlainText text={id} />
              </span>
            </button>
          ))}
          {cards.length > 0 && (
            <button type="button" class="more" onClick={() => onCards(undefined)}>
              {cards.length > MOST ? `All ${formatCount(cards.length)} cards` : "Show as pipeline"}
            </button>
          )}
        </Section>
        <Section title="Thoughts" count={thoughts.length}>
          {thoughts.slice(0, MOST).map(({ session, branch, number }) => (
            <a
              key={`${session}${branch}${number}`}
              class="tcl"
              href={formatRoute(sessionRoute(session, { thought: { branch, number } }))}
            >
              thought {number}
              <span class="num">{session.slice(0, 8)}</span>
            </a>
          ))}
        </Section>
      </div>
    </aside>
  );
}

type ClosedProps = { task: Task; cards: readonly Card[] };

/** Shows who closed a task and when, and the task's outcome unless the cards below show it. */
function Closed({ task: { status, outcome, closed, updatedAt }, cards }: ClosedProps) {
  const now = useNow();
  const isShown = cards.some(({ type, title }) => type === outcome?.type && title === outcome.title);
  return (
    <div class="closed">
      {outcome && !isShown && (
        <p class="step">
          <CardChip type={outcome.type} />
          <PlainText text={outcome.title} />
        </p>
      )}
      <p class="dim">
        {status === "CANCELED" ? "Cancelled" : "Done"}
        {closed?.by !== undefined && (
          <>
            {" "}
            by <PlainText text={agentName(closed.by)} />
          </>
        )}
        , {formatMoment(closed?.at ?? updatedAt, now)}
      </p>
    </div>
  );
}

const Section = ({
  title,
  count,
  children,
}: {
  title: string;
  count: number;
  children: ComponentChildren;
}) =>
  count === 0 ? null : (
    <section>
      <h3 class="eyebrow">
        {title} <span class="num">{formatCount(count)}</span>
      </h3>
      {children}
    </section>
  );

function useCards(workspace: string, { id, updatedAt }: Task): readonly Card[] {
  const get = useObservatory().server.value?.get;
  const [found, setFound] = useState<{ id: string; cards: readonly Card[] }>();
  useEffect(() => {
    if (!get) return;
    const abort = new AbortController();
    void readCardsOf(get, workspace, id, abort.signal).then((cards) => {
      if (!abort.signal.aborted) setFound({ id, cards });
    });
    return () => abort.abort();
  }, [get, workspace, id, updatedAt]);
  return found?.id === id ? found.cards : [];
}
