import { askOperation } from "../../operations/ask-operation.ts";
import type { Caller } from "../../operations/pipeline/caller.ts";
import type { Perform } from "../../operations/pipeline/perform.ts";

/** Calls a reading operation as the owner would, and throws what it refuses. */
export type Ask = (operation: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>;

const owner: Caller = {
  era: "modern",
  transport: "http",
  principal: "owner",
  can: { roots: false, sampling: false },
};

export const createAsk =
  (perform: Perform): Ask =>
  (operation, args) =>
    askOperation(perform, operation, args, { caller: owner, anyStage: true });
