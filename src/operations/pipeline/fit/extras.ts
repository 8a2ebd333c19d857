import type { Suggestion, Warning } from "../../../kernel/reply.ts";
import type { Limits } from "./budget.ts";

/** A caller who asks for less than this gets few words beside the answer. */
const roomy = 2_000;
const maxOfEach = 2;
const maxChars = 600;

type Extras = { warnings: readonly Warning[]; suggestions: readonly Suggestion[] };

/**
 * What rides along with an answer comes on top of its budget, and so has a bound of its own: whole items only, and
 * those first that say what became of the answer, then the call that goes on with it.
 */
export function boundExtras(
  { warnings, suggestions }: Extras,
  budget: unknown,
  limits: Limits | undefined,
): Extras {
  if (!limits || (limits.chars >= roomy && (limits.bytes ?? roomy) >= roomy))
    return { warnings, suggestions };
  const kept = { warnings: [] as Warning[], suggestions: [] as Suggestion[] };
  const isUrgent = ({ code }: Warning) => code.startsWith("SECRET_") || code.startsWith("BUDGET_");
  const [continuing, ...others] = [...suggestions].reverse();
  const inOrder: [keyof Extras, Warning | Suggestion | undefined][] = [
    ...warnings.filter(isUrgent).map((warning) => ["warnings", warning] as [keyof Extras, Warning]),
    ["suggestions", continuing],
    ...warnings
      .filter((warning) => !isUrgent(warning))
      .map((warning) => ["warnings", warning] as [keyof Extras, Warning]),
    ...others.reverse().map((other) => ["suggestions", other] as [keyof Extras, Suggestion]),
  ];
  for (const [kind, item] of inOrder) {
    if (item === undefined || kept[kind].length >= maxOfEach) continue;
    (kept[kind] as unknown[]).push(item);
    if (sizeOf({ budget, ...kept }) > maxChars) kept[kind].pop();
  }
  return kept;
}

/** As they stand in the answer, without its braces. */
const sizeOf = (extras: Record<string, unknown>): number => JSON.stringify(extras).length - 2;
