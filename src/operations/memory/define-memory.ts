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

/** What to do in a workspace that was never written to. */
const writeFirst = (workspace: string): Suggestion => ({
  operation: "init",
  args: { workspace },
  reason:
    "Nothing has been written to this workspace yet. Start with notes_commit, think_card or tasks_create.",
  priority: "high",
});

/** The plan or task was closed while it was the focus. `now` is where calls without a target go. */
export const focusCleared = (item: Item, now: string): Warning => ({
  code: "FOCUS_CLEARED",
  message: `${item.id} ${isClosed(item) ? `is ${item.status}` : "was closed"}, so it is no longer the focus. Without target, calls now use ${now}.`,
});

/**
 * If another agent closed the caller's focus, every answer reports this, up to and including the caller's next write.
 */
export async function reportClearedFocus({
  memory,
  workspace,
  state,
  warn,
}: Pick<MemoryContext, "memory" | "workspace" | "state" | "warn">): Promise<void> {
  if (state?.cleared === undefined) return;
  const item = await memory.readItem(workspace, state.cleared);
  if (item) warn(focusCleared(item, state.focus ?? `the branch ${state.checkout}`));
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
  /** Other names that callers use for a field. */
  aliases?: Readonly<Record<string, keyof Shape & string>>;
  output: Output;
  /** What can be dropped to shorten the answer. */
  trim?: TrimPlan | ((answer: Json, input: Json) => TrimPlan);
  /** The default length of a read's answer. */
  defaultChars?: number;
  /** The fields of a write that are checked for secrets. By default, all. */
  guard?: readonly (keyof Shape & string)[];
  /** The read does not depend on the workspace's contents, so an empty one needs no special answer. */
  anywhere?: true;
};

/** A memory operation: open at every stage, in a workspace, with secrets masked and its answer within a budget. */
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
