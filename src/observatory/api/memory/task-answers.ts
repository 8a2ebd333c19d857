import type { Item, Step } from "../../../domain/tasks/item.ts";
import type { MemoryTask, MemoryTaskStep, TasksAnswer } from "../../wire-memory.ts";
import type { Query } from "../query.ts";
import { type MemorySource, wholeAnswer } from "./memory-source.ts";

type Shown = Pick<Item, "id" | "title" | "status" | "parent">;
type Context = { workspace?: string; focus?: string | null; plans?: Shown[]; tasks?: Shown[] };

/** What is to be done, in the order of the numbers; what is done or given up comes last, as far as it was asked for. */
export async function answerTasks(source: MemorySource, query: Query): Promise<TasksAnswer> {
  const asked = query.text("workspace");
  const context: Context = await source.ask("tasks_context", {
    workspace: asked,
    include_all: query.text("all") === "true",
    ...wholeAnswer,
  });
  const { focus, plans = [], tasks = [] } = context;
  const workspace = context.workspace ?? asked ?? source.workspace;
  return {
    workspace,
    plans: plans.map(({ id, title, status }) => ({ id, title, status })),
    tasks: await Promise.all(tasks.map((task) => toTask(source, workspace, task))),
    ...(typeof focus === "string" && { focus }),
  };
}

async function toTask(source: MemorySource, workspace: string, task: Shown): Promise<MemoryTask> {
  const { id, title, status, parent } = task;
  const steps = await source.readSteps(workspace, id);
  return {
    id,
    title,
    status,
    ...(parent !== undefined && { plan: parent }),
    steps: await Promise.all(steps.map((step) => toStep(source, workspace, step))),
  };
}

/** A lease ends by itself; whether it still holds is the operation's to say. */
async function toStep({ ask, mask }: MemorySource, workspace: string, step: Step): Promise<MemoryTaskStep> {
  const { path, title, completed, lease, task } = step;
  const shown = { path, title: mask(title), completed };
  if (!lease) return shown;
  const { holder } = await ask("tasks_step_lease_get", { workspace, target: task, path });
  return typeof holder === "string" ? { ...shown, leasedBy: holder } : shown;
}
