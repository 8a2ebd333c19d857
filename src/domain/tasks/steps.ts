import { taskFailure } from "./failures.ts";
import type { Step } from "./item.ts";

const form = /^s:(?:0|[1-9]\d{0,3})(?:\.s:(?:0|[1-9]\d{0,3}))*$/;

export const isStepPath = (text: string): boolean => text.length <= 128 && form.test(text);

/** Returns the indexes in a path, for example [0, 2] for `s:0.s:2`. */
export const partsOf = (path: string): number[] => path.split(".").map((part) => Number(part.slice(2)));

export const pathBelow = (parent: string | undefined, index: number): string =>
  parent === undefined ? `s:${index}` : `${parent}.s:${index}`;

export function parentOf(path: string): string | undefined {
  const dot = path.lastIndexOf(".");
  return dot === -1 ? undefined : path.slice(0, dot);
}

export const depthOf = (path: string): number => path.split(".").length;

const isBelow = (path: string, other: string): boolean => path.startsWith(`${other}.`);

/** Compares paths in outline order: every step precedes its children. */
function byPath(one: string, other: string): number {
  const [here, there] = [partsOf(one), partsOf(other)];
  for (let at = 0; at < Math.min(here.length, there.length); at++) {
    const difference = (here[at] ?? 0) - (there[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return here.length - there.length;
}

/** A step's path or ID. If both are set, both must refer to the same step. */
export type StepRef = { path?: string | undefined; step_id?: string | undefined };

export const inOrder = (steps: readonly Step[]): Step[] =>
  steps.toSorted((one, other) => byPath(one.path, other.path));

export function findStep(
  steps: readonly Step[],
  { path, step_id }: StepRef,
  where: { workspace: string; task: string },
): Step {
  if (path === undefined && step_id === undefined) throw taskFailure("no_step_named", where);
  const found = steps.find((step) => (step_id === undefined ? step.path === path : step.step_id === step_id));
  if (!found || (path !== undefined && found.path !== path))
    throw taskFailure("unknown_step", { ...where, step: step_id ?? path ?? "" });
  return found;
}

/** Returns the first step that can be closed now: an open step without open substeps. */
export function firstOpen(steps: readonly Step[]): Step | undefined {
  const open = inOrder(steps).filter(({ completed }) => !completed);
  let candidate = open[0];
  for (const step of open) if (candidate && isBelow(step.path, candidate.path)) candidate = step;
  return candidate;
}

export const openBelow = (steps: readonly Step[], path: string): Step | undefined =>
  inOrder(steps).find((step) => !step.completed && isBelow(step.path, path));

export function ancestorsOf(steps: readonly Step[], path: string): Step[] {
  const above: Step[] = [];
  for (let parent = parentOf(path); parent !== undefined; parent = parentOf(parent)) {
    const step = steps.find((one) => one.path === parent);
    if (step) above.push(step);
  }
  return above;
}

/** Returns which lists still need confirmation. Empty lists need none. */
export function openCheckpoints(step: Step): { criteria: boolean; tests: boolean } {
  return {
    criteria: step.success_criteria.length > 0 && !step.criteria_confirmed,
    tests: step.tests.length > 0 && !step.tests_confirmed,
  };
}

export function countSteps(steps: readonly Step[]) {
  const completed = steps.filter((step) => step.completed).length;
  const first = firstOpen(steps);
  return {
    total: steps.length,
    open: steps.length - completed,
    completed,
    first_open: first ? { step_id: first.step_id, path: first.path, title: first.title } : null,
  };
}
