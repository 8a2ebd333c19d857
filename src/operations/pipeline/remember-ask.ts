import { canonicalJson } from "../../kernel/json/canonical-json.ts";
import type { Ask, Warning } from "../../kernel/reply.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import type { Caller } from "./caller.ts";
import type { Answers } from "./context.ts";
import type { Args } from "./operation.ts";

/** What a call remembers while its client is asked. */
type Remembered = {
  /** Of the call that asked: an answer counts for no other one. */
  call: string;
  warnings: Warning[];
  state: Args;
};

/** A call in a few characters: sent again, it says the same. */
const fingerprint = (name: string, input: Args): string =>
  sha256Hex(canonicalJson({ name, input: withoutUndefined(input) }));

const withoutUndefined = (input: Args): Args =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** Adds to an ask what the second run of the call has to know of the first. */
export function rememberCall(ask: Ask, name: string, input: Args, warnings: readonly Warning[]): Ask {
  if (ask.ask !== "critique") return ask;
  const remembered: Remembered = {
    call: fingerprint(name, input),
    warnings: [...warnings],
    state: ask.state,
  };
  return { ...ask, state: remembered };
}

/**
 * What the first run of this very call left behind. A modern client carries it, signed, and might send it along with a
 * different call: that one is then a call like any other. With a legacy client it never left this process.
 */
export function recallCall(
  answers: Answers,
  { binding }: Caller,
  name: string,
  input: Args,
): { answers: Answers; warnings: readonly Warning[] } {
  const remembered = answers.state as Remembered | undefined;
  if (remembered === undefined) return { answers, warnings: [] };
  const { state: _carried, critique: _answered, ...others } = answers;
  if (!binding && remembered.call !== fingerprint(name, input)) return { answers: others, warnings: [] };
  return { answers: { ...answers, state: remembered.state }, warnings: remembered.warnings };
}
