import * as z from "zod";
import type { ErrorCode } from "../../kernel/errors.ts";
import type { TrimPlan } from "../../kernel/fit-budget.ts";
import type { Suggestion } from "../../kernel/reply.ts";
import type { CommitOptions } from "../../ports/memory/memory-store.ts";
import type { MemoryStep, Outcomes } from "../../ports/memory/steps.ts";
import type { Workspace } from "../../ports/memory/workspaces.ts";
import { answerBudget } from "../pipeline/budget.ts";
import {
  defineOperation,
  type Fail,
  type Operation,
  type OperationContext,
  type Toolset,
} from "../pipeline/define.ts";
import { type AskedBudget, budgetSchema, trimAnswer, usualChars } from "./answer-budget.ts";
import { budgetFields, readTarget, workspace } from "./fields.ts";
import { guardInput, maskAnswer } from "./secrets.ts";
import { checkGuard, chooseWorkspace } from "./workspace.ts";

/** What a tool of the memory works with. */
export type MemoryContext = OperationContext & {
  workspace: string;
  /** As it was when the call came in; `undefined` until something was written there. */
  state: Workspace | undefined;
  /** One transaction: all steps or none. */
  commit<const Steps extends readonly MemoryStep[]>(steps: Steps): Promise<Outcomes<Steps>>;
  /** Rides along with the answer; works when executed as it stands. */
  suggest(suggestion: Suggestion): void;
};

type Declaration<Shape extends z.ZodRawShape, Output extends z.ZodRawShape, Code extends ErrorCode> = {
  name: string;
  title: string;
  summary: string;
  toolset?: Toolset;
  effect: "read" | "write" | "destroy";
  input: Shape;
  /** Accepted and documented, but not advertised in `tools/list`. */
  advanced?: readonly (keyof Shape & string)[];
  /** Other names that callers use for a field. */
  aliases?: Readonly<Record<string, keyof Shape & string>>;
  output: Output;
  /** What of the answer can go when it has to get smaller. */
  trim?: TrimPlan | ((answer: Record<string, unknown>) => TrimPlan);
  /** How long an answer gets where the caller does not say. */
  usualChars?: number;
  errors: readonly Code[];
  examples: readonly { title: string; given?: string; input: Record<string, unknown> }[];
  handle(
    input: z.output<z.ZodObject<Shape>>,
    memory: MemoryContext,
    fail: Fail<Code>,
  ): Promise<z.input<z.ZodObject<Output>>>;
};

const extras = {
  truncated: z.boolean().optional(),
  budget: budgetSchema.optional(),
  suggestions: z
    .array(
      z.strictObject({
        operation: z.string(),
        args: z.record(z.string(), z.unknown()),
        reason: z.string(),
        priority: z.enum(["high", "medium", "low"]),
      }),
    )
    .optional(),
  signal: z.literal("minimal").optional(),
};

/**
 * A tool of the memory: open at every stage, in a workspace, with its secrets masked and its answer within a budget.
 * Whatever holds for all of them is done here.
 */
export function defineMemory<
  Shape extends z.ZodRawShape,
  Output extends z.ZodRawShape,
  const Code extends ErrorCode,
>(declared: Declaration<Shape, Output, Code>): Operation {
  const { name, title, summary, toolset = "full", effect, errors, examples, aliases = {} } = declared;
  const budgets = Object.fromEntries(
    Object.entries(effect === "read" ? budgetFields : {}).map(([field, schema]) => [
      field,
      schema.optional(),
    ]),
  );
  return defineOperation<z.ZodRawShape, z.ZodObject, ErrorCode>({
    name,
    family: "memory",
    title,
    summary,
    toolset,
    stage: "entry",
    effect,
    input: { ...declared.input, workspace: workspace.optional(), ...budgets },
    advanced: [
      ...(declared.advanced ?? []),
      ...["max_bytes", "max_lines"].filter((field) => field in budgets),
    ],
    spellings: { aliases, reshape: readTarget },
    output: z.strictObject({ ...declared.output, ...extras }),
    errors,
    examples,
    async handle(given, context, fail) {
      const { workspace: asked, ...input } = given;
      const chosen = chooseWorkspace(context, asked as string | undefined);
      const state = await context.memory.readWorkspace(chosen);
      checkGuard(context, state);
      const suggestions: Suggestion[] = [];
      let commits = 0;
      const memory: MemoryContext = {
        ...context,
        workspace: chosen,
        state,
        commit: (steps) => context.memory.commit(chosen, steps, commitOptions(context, commits++)),
        suggest: (suggestion) => suggestions.push(suggestion),
      };
      const safe = effect === "read" ? input : guardInput(input, context);
      const found = await declared.handle(safe as z.output<z.ZodObject<Shape>>, memory, fail);
      const answer = finish(declared, found as Record<string, unknown>, input as AskedBudget, context);
      const more = continuation(name, { workspace: chosen, ...input }, answer);
      const offered = more ? [...suggestions, more] : suggestions;
      return { ...answer, ...(offered.length > 0 && { suggestions: offered }) };
    },
  });
}

/** Each commit of a call is remembered under a key of its own. */
const commitOptions = ({ clock, once, settings }: OperationContext, nth: number): CommitOptions => ({
  at: clock(),
  once: once && nth > 0 ? { ...once, key: `${once.key}#${nth}` } : once,
  projectGuard: settings.projectGuard,
});

type Finishing = Pick<Declaration<z.ZodRawShape, z.ZodRawShape, ErrorCode>, "effect" | "trim" | "usualChars">;

function finish(
  { effect, trim = {}, usualChars: usual = usualChars }: Finishing,
  found: Record<string, unknown>,
  asked: AskedBudget,
  context: OperationContext,
): Record<string, unknown> {
  const masked = maskAnswer(found, context);
  const limit = effect === "read" ? usual : answerBudget;
  const { answer, warnings } = trimAnswer(
    masked,
    typeof trim === "function" ? trim(found) : trim,
    effect === "read" ? asked : {},
    limit,
  );
  for (const warning of warnings) context.warn(warning);
  if (effect === "read" || answer["truncated"] === true) return answer;
  const { truncated: _whole, ...written } = answer;
  return written;
}

/** A shortened page tells which call goes on. */
function continuation(
  operation: string,
  args: Record<string, unknown>,
  { truncated, pagination }: Record<string, unknown>,
): Suggestion | undefined {
  const cursor = (pagination as { next_cursor?: unknown } | undefined)?.next_cursor;
  if (truncated !== true || cursor === undefined) return undefined;
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
  return {
    operation,
    args: { ...given, cursor },
    reason: "The answer was shortened; this goes on.",
    priority: "medium",
  };
}
