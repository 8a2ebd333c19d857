import * as z from "zod";
import type { ErrorCode } from "../../kernel/errors.ts";
import type { Ask } from "../../kernel/reply.ts";
import type { ContextOf, Scope } from "./context.ts";
import { agentId, idempotencyKey, sessionId, workspace } from "./fields.ts";
import { budgetFields, fittedFields } from "./fit/budget.ts";
import { type Fit, fitByDefault } from "./fit/fit.ts";
import type { Example, Operation, OperationHead, Secrets, Spellings, WireForm } from "./operation.ts";

type CommonFields = {
  [Field in "sessionId" | "workspace" | "agent_id" | "idempotencyKey"]: z.ZodOptional<z.ZodString>;
} & { [Field in keyof typeof budgetFields]: z.ZodOptional<z.ZodInt> };

type Declaration<
  Name extends string,
  Shape extends z.ZodRawShape,
  Output extends z.ZodObject,
  Code extends ErrorCode,
  Within extends Scope,
> = OperationHead<Name, Code> & {
  /**
   * What a call works on. Thoughtbox finds it and checks locks before the handler runs.
   *
   * - `caller`: the caller's session, if it has one.
   * - `own`: like `caller`, but the operation looks up its `sessionId` itself.
   * - `session`: `context.callerState.session` is set.
   * - `workspace`: the memory, in `context.workspace`.
   */
  scope: Within;
  /** The operation's own fields. `sessionId` or `workspace`, `idempotencyKey` and budget fields are added. */
  input: Shape;
  /** Accepted and documented, but not advertised in `tools/list`. */
  advanced?: readonly (keyof Shape & string)[];
  /** Fields that are advertised in a simpler form than they are declared. */
  wire?: { readonly [Field in keyof Shape & string]?: WireForm };
  /** Other spellings that callers use. Replaced before validation. */
  spellings?: Partial<Spellings<keyof Shape & string>>;
  secrets?: Secrets<keyof Shape & string>;
  /** What to drop from an answer that is too large. By default, truncates its longest text fields and lists. */
  fit?: Fit;
  output: Output;
  examples: readonly Example<z.input<z.ZodObject<Shape & Omit<CommonFields, keyof Shape>>>>[];
  handle(
    input: z.output<z.ZodObject<Shape>>,
    context: ContextOf<Code>[Within],
  ): Promise<z.input<Output> | Ask>;
};

export function defineOperation<
  const Name extends string,
  Shape extends z.ZodRawShape,
  Output extends z.ZodObject,
  const Code extends ErrorCode,
  const Within extends Scope,
>(
  declared: Declaration<Name, Shape, Output, Code, Within>,
): Operation<z.input<z.ZodObject<Shape & Omit<CommonFields, keyof Shape>>>, z.output<Output>, Code, Name> {
  const {
    input,
    output,
    advanced = [],
    wire = {},
    spellings,
    secrets = {},
    fit = fitByDefault,
    handle,
    ...head
  } = declared;
  const common = commonFields({ ...head, fit }, input);
  const names = Object.keys(common);
  return {
    ...head,
    secrets,
    fit,
    input: z.strictObject({ ...input, ...common }),
    output: output.extend(fit.budget === undefined ? cutFields(output) : fittedFields),
    wire: wire as Record<string, WireForm>,
    advanced: [...advanced, ...names.filter((name) => rarelyUsed.has(name))],
    spellings: { aliases: {}, envelopes: [], ...spellings } as Spellings<string>,
    common: names,
    // `resolveScope` creates the context that `scope` requires, and validation creates the input.
    handle: handle as Operation["handle"],
  };
}

/** Returns the `truncated` field for an output without one, because any answer may be shortened. */
const cutFields = ({ shape }: z.ZodObject) =>
  "truncated" in shape ? {} : { truncated: z.literal(true).optional() };

const agent_id = agentId.describe(
  "Your agent name, which identifies your focus, checkout, lease and writes.",
);
const rarelyUsed = new Set(["agent_id", "idempotencyKey", "max_bytes", "max_lines"]);

function commonFields(
  { scope, effect, fit }: Pick<Operation, "scope" | "effect" | "fit">,
  input: z.ZodRawShape,
): z.ZodRawShape {
  const named = scope === "workspace" ? { workspace, agent_id } : { sessionId };
  const all = {
    ...named,
    ...(fit.budget === "caller" && budgetFields),
    ...(effect !== "read" && { idempotencyKey }),
  };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([name]) => !Object.hasOwn(input, name))
      .map(([name, schema]) => [name, schema.optional()]),
  );
}
