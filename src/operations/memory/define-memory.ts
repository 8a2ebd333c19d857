import * as z from "zod";
import { type Item, isClosed } from "../../domain/tasks/item.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import type { Suggestion, Warning } from "../../kernel/reply.ts";
import type { MemoryContext } from "../pipeline/context.ts";
import { defineOperation } from "../pipeline/define.ts";
import { defaultChars as readChars } from "../pipeline/fit/budget.ts";
import type { Json, TrimPlan } from "../pipeline/fit/trim.ts";
import type { Toolset } from "../pipeline/operation.ts";
import { readShapes } from "./fields.ts";

const writeFirst = (workspace: string): Suggestion => ({
  operation: "init",
  args: { workspace },
  reason:
    "Nothing has been written to this workspace yet. Start with notes_commit, think_card or tasks_create.",
  priority: "high",
});

/** `now`: the target that calls without a target use from now on. */
export const focusCleared = (item: Item, now: string): Warning => ({
  code: "FOCUS_CLEARED",
  message: `${item.id} ${isClosed(item) ? `is ${item.status}` : "was closed"}, so it is no longer the focus. Calls without a target now use ${now}.`,
});

/** Warns of a cleared focus in every answer, up to and including the answer to the caller's next write. */
export async function reportClearedFocus({
  memory,
  workspace,
  state,
  warn,
}: Pick<MemoryContext, "memory" | "workspace" | "state" | "warn">): Promise<void> {
  if (state?.cleared === undefined) return;
  const item = await memory.readItem(workspace, state.cleared);
  if (item) warn(focusCleared(item, state.focus ?? `branch ${state.checkout}`));
}

type Preset = "family" | "scope" | "stage" | "toolset" | "secrets" | "fit" | "spellings" | "output";

type Declared<
  Name extends string,
  Shape extends z.ZodRawShape,
  Output extends z.ZodRawShape,
  Code extends ErrorCode,
> = Omit<
  Parameters<typeof defineOperation<Name, Shape, z.ZodObject<Output>, Code, "workspace">>[0],
  Preset
> & {
  toolset?: Toolset;
  aliases?: Readonly<Record<string, keyof Shape & string>>;
  output: Output;
  trim?: TrimPlan | ((answer: Json, input: Json) => TrimPlan);
  defaultChars?: number;
  /** Fields that are checked for secrets. Default: all. */
  guard?: readonly (keyof Shape & string)[];
  /**
   * Set for reads that do not depend on the contents of the workspace. An empty workspace then needs no special answer.
   */
  anywhere?: true;
};

/** Memory operations are available at every stage. */
export function defineMemory<
  const Name extends string,
  Shape extends z.ZodRawShape,
  Output extends z.ZodRawShape,
  const Code extends ErrorCode,
>(declared: Declared<Name, Shape, Output, Code>) {
  const { aliases = {}, trim = {}, defaultChars = readChars, toolset = "full", ...others } = declared;
  const { output, anywhere = others.effect !== "read", guard, handle, ...rest } = others;
  return defineOperation<Name, Shape, z.ZodObject<Output>, Code, "workspace">({
    ...rest,
    family: "memory",
    scope: "workspace",
    stage: "entry",
    ...(guard && { secrets: { guard } }),
    toolset,
    spellings: { aliases, reshape: readShapes },
    fit:
      rest.effect === "read"
        ? { plan: trim, budget: "caller", defaultChars }
        : { plan: trim, budget: "fixed" },
    output: z.strictObject(output),
    async handle(input, memory) {
      if (memory.state === undefined && !anywhere) memory.suggest(writeFirst(memory.workspace));
      if (rest.effect !== "read" || "target" in rest.input) await reportClearedFocus(memory);
      return handle(input, memory);
    },
  });
}
