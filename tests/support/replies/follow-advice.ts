import type { Reply } from "../../../src/kernel/reply.ts";
import { catalogue } from "../../../src/operations/catalogue.ts";

type Args = Record<string, unknown>;
export type Advice = { operation: string; args: Args };
export type Send = (operation: string, args: Args) => Promise<Reply>;

/** Returns all complete calls that a reply advises: suggestions, and recoveries from errors and warnings. */
export function adviceIn(value: unknown): Advice[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(adviceIn);
  return Object.entries(value).flatMap(([name, member]) => {
    const found = name === "suggestions" ? member : name === "recovery" ? [member] : undefined;
    return Array.isArray(found) ? found.flatMap(readAdvice) : adviceIn(member);
  });
}

function readAdvice(given: { operation?: string; args?: Args; patch?: boolean }): Advice[] {
  return given.operation === undefined || given.patch
    ? []
    : [{ operation: given.operation, args: given.args ?? {} }];
}

/**
 * Makes the calls that replies advise, unchanged. Calls that only read are made immediately, hidden from the test.
 * Calls that write would change the test's data, so they wait until it has finished.
 */
export function createAdviceFollower() {
  const waiting: { advice: Advice; send: Send; from: string }[] = [];
  const followed: Advice[] = [];

  async function follow({ operation, args }: Advice, send: Send, from: string): Promise<void> {
    const known = catalogue.find(({ name }) => name === operation);
    if (!known) throw new Error(`${from} advises ${operation}, which is no operation`);
    const reply = await send(operation, args);
    followed.push({ operation, args });
    if (reply.kind === "error")
      throw new Error(
        `${from} advised ${operation} ${JSON.stringify(args)}, which answered ${JSON.stringify(reply.error)}`,
      );
  }

  return {
    followed: followed as readonly Advice[],
    /** Takes the advice in a reply. `from` is the call that was answered. */
    async take(reply: Reply, send: Send, from: string): Promise<void> {
      for (const advice of adviceIn(reply)) {
        const effect = catalogue.find(({ name }) => name === advice.operation)?.effect;
        if (effect === "write" || effect === "destroy") waiting.push({ advice, send, from });
        else await follow(advice, send, from);
      }
    },
    async finish(): Promise<void> {
      for (const { advice, send, from } of waiting.splice(0)) await follow(advice, send, from);
    },
  };
}
