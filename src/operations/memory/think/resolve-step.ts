import type { CardStep } from "../../../domain/memory/cards/decide-cards.ts";
import { taskFailure } from "../../../domain/tasks/failures.ts";
import { type Item, type Step, stepIdPattern } from "../../../domain/tasks/item.ts";
import { findStep, firstOpen, isStepPath } from "../../../domain/tasks/steps.ts";
import type { MemoryContext } from "../../pipeline/context.ts";

export type NamedStep = CardStep & { title: string };

/** Returns the requested step. If there is no task, warns the caller and returns `undefined`. */
export async function resolveStep(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  target: Item | undefined,
  asked: string | undefined,
  explicit: boolean,
): Promise<NamedStep | undefined> {
  const choose = stepChooser(memory, target, asked, explicit);
  return choose && target && choose(await memory.memory.readSteps(memory.workspace, target.id));
}

/** Returns a function that finds the step, or `undefined` if the call has no step or no task. */
export function stepChooser(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID">,
  target: Item | undefined,
  asked: string | undefined,
  explicit: boolean,
): ((steps: readonly Step[]) => NamedStep) | undefined {
  if (asked === undefined) return undefined;
  if (explicit)
    memory.fail("INVALID_PAYLOAD", "A step belongs to a task. Pass target, or set a focus.", {
      details: {
        hints: [{ kind: "choose_one", fields: ["step", "branch", "ref", "graph_doc", "trace_doc"] }],
      },
      recovery: {
        hint: "See how to pass a branch or target.",
        operation: "help",
        args: { topic: "branches" },
      },
    });
  if (target?.kind !== "task") {
    memory.warn({
      code: "STEP_CONTEXT_IGNORED",
      message: "There is no task for the step, so it was left out.",
    });
    return undefined;
  }
  const where = { workspace: memory.workspace, task: target.id };
  return (steps) => nameStep(target, chooseStep(steps, asked, where));
}

export const nameStep = ({ id }: Item, { step_id, path, title }: Step): NamedStep => ({
  task_id: id,
  step_id,
  path,
  title,
});

function chooseStep(steps: readonly Step[], asked: string, where: { workspace: string; task: string }): Step {
  if (asked === "focus") {
    const open = firstOpen(steps);
    if (!open) throw taskFailure("no_open_step", where);
    return open;
  }
  const id = asked.toUpperCase();
  if (stepIdPattern.test(id)) return findStep(steps, { step_id: id }, where);
  if (isStepPath(asked)) return findStep(steps, { path: asked }, where);
  throw taskFailure("unknown_step", { ...where, step: asked });
}
