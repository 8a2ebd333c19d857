import type { Task } from "../../state/memory.ts";
import { agentName } from "../../text/agent-names.ts";
import { PlainText } from "../basics/plain-text.tsx";
import { Tick } from "../home/news-rows.tsx";

/** An open task: its steps, its blockers, and a link to its cards. */
export function TaskPanel({ task, onCards }: { task: Task; onCards: () => void }) {
  const next = task.steps.find(({ completed }) => !completed);
  return (
    <section class="task-panel" aria-label={`Steps of ${task.id}`}>
      <div class="bh">
        <h2>
          <PlainText text={task.title} />
        </h2>
        <span class="num">{task.id}</span>
        <span class="grow" />
        <button type="button" class="btn" onClick={onCards}>
          Its cards
        </button>
      </div>
      {task.steps.length === 0 && <p class="dim">This task has no steps.</p>}
      {task.steps.map((step) => (
        <div key={step.path} class="step">
          <Tick
            state={step.completed ? "done" : step === next && task.state === "active" ? "active" : "ready"}
          />
          <PlainText text={step.title} />
          {step.completed && <span class="off-screen"> (done)</span>}
          {step.leasedBy !== undefined && (
            <span class="dim">
              held by <PlainText text={agentName(step.leasedBy)} />
            </span>
          )}
        </div>
      ))}
    </section>
  );
}
