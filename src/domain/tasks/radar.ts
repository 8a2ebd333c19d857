import { type Item, isClosed, type Step } from "./item.ts";
import { countSteps, firstOpen, inOrder, openCheckpoints } from "./steps.ts";

export type Radar = { now: string; why: string; verify: string[]; next: string[]; blockers: string[] };

const maxNext = 3;

/** Summarises a plan or task in a few lines. `tasks` are the tasks of a plan, in order. */
export function radarOf(
  item: Item,
  steps: readonly Step[],
  plan: Item | undefined,
  tasks: readonly Item[],
): Radar {
  const why = item.description ?? item.context ?? (plan ? `${plan.id}: ${plan.title}` : item.title);
  if (item.kind === "plan") return { ...radarOfPlan(item, tasks), why };
  const step = firstOpen(steps);
  if (!step)
    return {
      now: isClosed(item)
        ? `${item.id} is ${item.status}`
        : steps.length === 0
          ? `${item.id} has no steps yet`
          : `All steps of ${item.id} are done`,
      why,
      verify: [],
      next: isClosed(item)
        ? []
        : [steps.length === 0 ? "Add steps with tasks_decompose" : "Close it with tasks_complete"],
      blockers: [],
    };
  const open = openCheckpoints(step);
  return {
    now: `${step.path} ${step.title}`,
    why,
    verify: [...(open.criteria ? step.success_criteria : []), ...(open.tests ? step.tests : [])],
    next: inOrder(steps)
      .filter((other) => !other.completed && other.path !== step.path)
      .slice(0, maxNext)
      .map(({ path, title }) => `${path} ${title}`),
    blockers: [...step.blockers],
  };
}

function radarOfPlan(plan: Item, tasks: readonly Item[]): Omit<Radar, "why"> {
  const open = tasks.filter((task) => !isClosed(task) && task.status !== "PARKED");
  const [first, ...rest] = [
    ...open.filter(({ status }) => status === "ACTIVE"),
    ...open.filter(({ status }) => status !== "ACTIVE"),
  ];
  return {
    now: first
      ? `${first.id} ${first.title}`
      : isClosed(plan)
        ? `${plan.id} is ${plan.status}`
        : `${plan.id} has no open task`,
    verify: [],
    next: first
      ? rest.slice(0, maxNext).map(({ id, title }) => `${id} ${title}`)
      : isClosed(plan)
        ? []
        : [tasks.length === 0 ? "Add a task with tasks_create" : "Close it with tasks_complete"],
    blockers: tasks
      .filter(({ status }) => status === "PARKED")
      .map(({ id, title }) => `${id} ${title} is parked`),
  };
}

/** Returns the problems of an open task, such as missing steps or criteria. */
export function lintTask(
  item: Item,
  steps: readonly Step[],
): { code: string; message: string; path?: string }[] {
  if (item.kind === "plan" || isClosed(item)) return [];
  if (steps.length === 0) return [{ code: "TASK_NO_STEPS", message: `${item.id} has no steps.` }];
  const bare = inOrder(steps).filter(
    (step) => !step.completed && step.success_criteria.length === 0 && step.tests.length === 0,
  );
  const { open } = countSteps(steps);
  return [
    ...bare.slice(0, 3).map(({ path, title }) => ({
      code: "STEP_NO_CRITERIA",
      message: `${path} ${title} has no completion criteria.`,
      path,
    })),
    ...(open === 0
      ? [{ code: "TASK_NO_NEXT_ACTION", message: `All steps of ${item.id} are done. Complete it.` }]
      : []),
  ];
}
