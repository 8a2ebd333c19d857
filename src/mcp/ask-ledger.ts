import { ThoughtboxError } from "../kernel/errors.ts";
import { askOperation } from "../operations/ask-operation.ts";
import type { Caller } from "../operations/pipeline/context.ts";
import type { Args, Operation, ResultOf } from "../operations/pipeline/operation.ts";
import type { Perform } from "../operations/pipeline/perform.ts";

/**
 * Calls an operation to read a resource. Returns `undefined` if the operation fails, because then there is
 * nothing to read.
 */
export type AskLedger = <Op extends Operation = Operation>(
  name: Op["name"],
  args: Args,
) => Promise<ResultOf<Op> | undefined>;

/** The reader of a resource. The reader's client is never asked questions. */
export type Reader = Omit<Caller, "can">;

export function createAskLedger(load: () => Promise<Perform>, reader: Reader): AskLedger {
  return async <Op extends Operation>(name: Op["name"], args: Args) => {
    const caller: Caller = { ...reader, can: { roots: false, sampling: false } };
    const perform = await load();
    try {
      return await askOperation<Op>(perform, name, args, { caller, anyStage: true });
    } catch (thrown) {
      if (thrown instanceof ThoughtboxError) return undefined;
      throw thrown;
    }
  };
}
