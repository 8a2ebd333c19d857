import { ThoughtboxError } from "../kernel/errors.ts";
import type { Reply } from "../kernel/reply.ts";
import type { Args, Operation, ResultOf } from "./pipeline/operation.ts";
import type { Call, Perform } from "./pipeline/perform.ts";

/**
 * Calls one operation for a surface that needs only its result. Throws any other outcome. Treats an `undefined`
 * argument as omitted.
 */
export async function askOperation<Op extends Operation = Operation>(
  perform: Perform,
  name: Op["name"],
  args: Args,
  call: Call,
): Promise<ResultOf<Op>> {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  return resultOf(await perform(name, Object.fromEntries(given), call)) as ResultOf<Op>;
}

export function resultOf(reply: Reply): Record<string, unknown> {
  if (reply.kind === "result") return reply.result;
  if (reply.kind === "ask")
    throw new ThoughtboxError("INTERNAL_ERROR", "The call needs a client that can answer questions.");
  const { code, message, ...options } = reply.error;
  throw new ThoughtboxError(code, message, options);
}
