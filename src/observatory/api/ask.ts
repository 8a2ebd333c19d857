import { ThoughtboxError } from "../../kernel/errors.ts";
import type { Caller } from "../../operations/pipeline/caller.ts";
import type { Perform } from "../../operations/pipeline/perform.ts";

/** Calls a reading operation as the owner would, and throws what it refuses. */
export type Ask = (operation: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>;

const caller: Caller = {
  era: "modern",
  transport: "http",
  principal: "owner",
  can: { roots: false, sampling: false },
};

export function createAsk(perform: Perform): Ask {
  return async (operation, args) => {
    const given = Object.entries(args).filter(([, value]) => value !== undefined);
    const reply = await perform(operation, Object.fromEntries(given), { caller, anyStage: true });
    if (reply.kind === "result") return reply.result;
    const { code, message } =
      reply.kind === "error"
        ? reply.error
        : { code: "INTERNAL_ERROR" as const, message: "Unexpected question." };
    throw new ThoughtboxError(code, message);
  };
}
