import * as z from "zod";
import type { ErrorCode } from "../../kernel/errors.ts";
import type { Suggestion } from "../../kernel/reply.ts";
import { defineOperation } from "../pipeline/define.ts";
import { defaultChars as readChars } from "../pipeline/fit/budget.ts";
import type { Json, TrimPlan } from "../pipeline/fit/trim.ts";
import type { Toolset } from "../pipeline/operation.ts";
import { readShapes } from "./fields.ts";

/** What to do in a workspace that was never written to. */
const writeFirst = (workspace: string): Suggestion => ({
  operation: "init",
  args: { workspace },
  reason: "Nothing is written in this workspace yet. Start with notes_commit, think_card or tasks_create.",
  priority: "high",
});

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
  /** What of the answer can go when it has to get smaller. */
  trim?: TrimPlan | ((answer: Json, input: Json) => TrimPlan);
  /** How long an answer of a read gets where the caller does not say. */
  defaultChars?: number;
  /** Fields of a write in which secrets are looked for, if not in all. */
  guard?: readonly (keyof Shape & string)[];
  /** A read that is not about what was written in the workspace, so a fresh one is no special case. */
  anywhere?: true;
};

/** An operation of the memory: open at every stage, in a workspace, with secrets masked and its answer within a budget. */
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
      return handle(input, memory);
    },
  });
}
