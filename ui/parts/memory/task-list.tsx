import type { Task, Workspace } from "../../state/memory.ts";
import { countOf } from "../../text/count-words.ts";
import { toVisible } from "../../text/visible-text.ts";
import { Icon } from "../basics/icon.tsx";
import { PlainText } from "../basics/plain-text.tsx";

type Props = {
  workspace: Workspace;
  workspaces: readonly string[];
  onBranch: (name: string) => void;
  onTask: (id: string) => void;
  onWorkspace: (name: string) => void;
};

/** The rail of the memory: what is to be done, and the branches of what is known. */
export function TaskList({ workspace, workspaces, onBranch, onTask, onWorkspace }: Props) {
  const { name: shown, tasks, plans, branches, branch, target, conflicts, cards } = workspace;
  const offered = workspaces.includes(shown) ? workspaces : [shown, ...workspaces];
  return (
    <div class="tasks" tabIndex={0} role="group" aria-label="Tasks and branches">
      {offered.length > 1 && (
        <label class="workspace">
          <span class="off-screen">Workspace</span>
          <select value={shown} onChange={(event) => onWorkspace(event.currentTarget.value)}>
            {offered.map((name) => (
              <option key={name} value={name}>
                {toVisible(name)}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </label>
      )}
      <h2>Tasks</h2>
      {tasks.length === 0 && <p class="dim">No tasks yet.</p>}
      {plans.map((plan) => (
        <div key={plan.id} class="plan">
          <span class="num">{plan.id}</span> <PlainText text={plan.title} />
        </div>
      ))}
      {tasks.map((task) => (
        <TaskCard key={task.id} task={task} isShown={task.id === target} onShow={() => onTask(task.id)} />
      ))}
      {branches.length > 0 && <h2>Branches</h2>}
      <div class="brs">
        {branches.map(({ name }) => {
          const open = conflicts.filter(({ from }) => from === name).length;
          return (
            <button
              key={name}
              type="button"
              class={name === branch ? "on" : ""}
              aria-pressed={name === branch}
              onClick={() => onBranch(name)}
            >
              <Icon name="fork" />
              <span class="words">
                <PlainText text={name} />
              </span>
              <span class="num">
                {open > 0 ? countOf(open, "conflict") : name === branch ? countOf(cards.length, "card") : ""}
              </span>
            </button>
          );
        })}
      </div>
    </div>
  );
}

type TaskProps = { task: Task; isShown: boolean; onShow: () => void };

const TaskCard = ({ task, isShown, onShow }: TaskProps) => {
  const next = task.steps.findIndex(({ completed }) => !completed);
  return (
    <div class={isShown ? "tk on" : "tk"}>
      <button type="button" class="tkh" aria-pressed={isShown} title="Show its cards" onClick={onShow}>
        <span class="num">{task.id}</span>
        <b>
          <PlainText text={task.title} />
        </b>
      </button>
      {task.steps.map((step, at) => (
        <div
          key={step.path}
          class={`st${step.completed ? " done" : step.leasedBy !== undefined || (isShown && at === next) ? " now" : ""}`}
        >
          <i>{step.completed && <Icon name="check" />}</i>
          <span>
            <PlainText text={step.title} />
            {step.completed && <span class="off-screen"> (done)</span>}
          </span>
          {step.leasedBy !== undefined && (
            <em>
              leased · <PlainText text={step.leasedBy} />
            </em>
          )}
        </div>
      ))}
    </div>
  );
};
