import * as z from "zod";
import { stages } from "../domain/stages/stages.ts";
import type { Ask, Reply } from "../kernel/reply.ts";
import { resultOf } from "../operations/ask-operation.ts";
import type { Answers, Caller } from "../operations/pipeline/context.ts";
import type { Operation } from "../operations/pipeline/operation.ts";
import type { Perform } from "../operations/pipeline/perform.ts";
import type { CallOptions, Critic, OperationDescription } from "./api.d.ts";

type Result = Record<string, unknown>;

/** Wraps `perform` for programs: returns the result and throws everything else. */
export function openCaller(
  perform: Perform,
  critic: Critic | undefined,
  identity: Pick<Caller, "era" | "binding">,
) {
  const caller: Caller = {
    ...identity,
    transport: "library",
    can: { roots: false, sampling: critic !== undefined },
  };

  return async (named: string, args?: unknown, { signal }: CallOptions = {}): Promise<Result> => {
    signal?.throwIfAborted();
    const name = String(named);
    const call = { caller, ...(signal && { signal }) };
    const first = await perform(name, args, call);
    if (first.kind !== "ask") return toResult(first, signal);
    // The second run ignores the abort signal, because the thought is already recorded.
    return toResult(await perform(name, args, { ...call, answers: await answer(first.ask, signal) }), signal);
  };

  async function answer(ask: Ask, signal: AbortSignal | undefined): Promise<Answers> {
    if (ask.ask === "roots" || critic === undefined) return { roots: [] };
    const { system, text, maxTokens } = ask.prompt;
    try {
      const critique = await critic({ system, text, maxTokens }, { signal });
      const usable = isText(critique?.text) && isText(critique?.model);
      return { state: ask.state, critique: usable ? critique : { failed: "the critic returned no text" } };
    } catch (thrown) {
      const failed = thrown instanceof Error ? thrown.message.slice(0, 200) : "the critic failed";
      return { state: ask.state, critique: { failed } };
    }
  }
}

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

/** Returns a copy, because a program may change its result, and Thoughtbox itself uses parts of it. */
function toResult(reply: Reply, signal: AbortSignal | undefined): Result {
  if (reply.kind !== "result") signal?.throwIfAborted();
  return copyJson(resultOf(reply));
}

export function describeOperation(operation: Operation): OperationDescription {
  const { name, title, summary: description, effect, stage } = operation;
  return {
    name,
    title,
    description,
    effect,
    stage: stages[stage],
    inputSchema: toSchema(operation.input),
    outputSchema: toSchema(operation.output),
  };
}

/** Returns the JSON Schema of arguments before defaults are filled in, or of a handler's answers. */
function toSchema(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}

/** Copies a JSON value. Keeps properties that are `undefined`. There is no limit on the depth. */
function copyJson<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as Value;
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = copyJson((value as Record<string, unknown>)[name]);
    // Assigning to `__proto__` would set the copy's prototype.
    if (name === "__proto__")
      Object.defineProperty(copy, name, {
        value: member,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else copy[name] = member;
  }
  return copy as Value;
}
