import { type Stage, stages } from "../../domain/stages/stages.ts";
import { type Recovery, toThoughtboxError } from "../../kernel/errors.ts";
import type { Reply, Suggestion, Warning } from "../../kernel/reply.ts";
import type { ResolvedScope } from "./caller-state.ts";
import type { Collected } from "./context.ts";
import type { Limits } from "./fit/budget.ts";
import type { FittedAnswer } from "./fit/fit.ts";
import type { Args, Operation } from "./operation.ts";
import { putIntoWords } from "./recoveries.ts";

/** A cancelled call is not reported as a failure. */
export const cancelled: Reply = {
  kind: "error",
  error: { code: "INTERNAL_ERROR", message: "The call was cancelled." },
};

/** Callers with a smaller budget, in characters or bytes, get only a few warnings and suggestions. */
const roomy = 2_000;
const maxOfEach = 2;
const maxChars = 600;

type Extras = { warnings: readonly Warning[]; suggestions: readonly Suggestion[] };

/**
 * Warnings and suggestions are not part of the budget, so they have their own limit. Only whole items are kept: those
 * about the answer itself first, then the call that continues it.
 */
function boundExtras({ warnings, suggestions }: Extras, budget: unknown, limits: Limits): Extras {
  if (limits.chars >= roomy && (limits.bytes ?? roomy) >= roomy) return { warnings, suggestions };
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

/** Returns the length without braces, because the extras are added to an existing object. */
const sizeOf = (extras: Record<string, unknown>): number => JSON.stringify(extras).length - 2;

/**
 * `staged` is the catalogue for a caller who goes through the stages. If `staged` is set, the reply shows
 * which operations are available.
 */
export function toResult(
  operation: Operation,
  staged: readonly Operation[] | undefined,
  scope: ResolvedScope,
  { answer, limits }: FittedAnswer,
  collected: Pick<Collected, "warnings" | "suggestions">,
): Reply {
  const { warnings, suggestions } = limits ? boundExtras(collected, answer["budget"], limits) : collected;
  const result: Args = Object.assign(
    {},
    answer,
    scope.of === "caller" && describeCallerState(operation, answer, scope.callerState, staged),
    suggestions.length > 0 && { suggestions },
    warnings.length > 0 && { warnings },
  );
  return operation.prose
    ? { kind: "result", result, markdown: String(answer[operation.prose]) }
    : { kind: "result", result };
}

function describeCallerState(
  { stage }: Operation,
  answer: Args,
  { sessionId, stage: reached }: Extract<ResolvedScope, { of: "caller" }>["callerState"],
  staged: readonly Operation[] | undefined,
): Args {
  // Adds nothing to an answer that has a budget.
  if ("budget" in answer) return {};
  const state: Args = {};
  if (!("sessionId" in answer) && sessionId !== undefined) state["sessionId"] = sessionId;
  if (staged && stages[stage] <= stages.init_complete) state["next"] = describeNext(staged, reached);
  return state;
}

const lookUp = (operation: string): Recovery => ({
  hint: `See the fields of ${operation} and an example.`,
  operation: "help",
  args: { topic: operation },
});

/** Replies with an error. Adds the session ID to its recovery, so that the caller can send it unchanged. */
export function toErrorReply(
  thrown: unknown,
  catalogue: readonly Operation[],
  { operation, sessionId }: { operation: string | undefined; sessionId: string | undefined },
  report: (cause: unknown) => void,
): Reply {
  const error = toThoughtboxError(thrown);
  if (error.cause !== undefined) report(error.cause);
  const { code } = error;
  const { message, details, ...words } = putIntoWords(error);
  const recovery =
    words.recovery ?? (code === "INVALID_PAYLOAD" && operation !== undefined ? lookUp(operation) : undefined);
  const target = catalogue.find(({ name }) => name === recovery?.operation);
  const addSession =
    recovery &&
    sessionId !== undefined &&
    code !== "SESSION_NOT_FOUND" &&
    target !== undefined &&
    stages[target.stage] > stages.entry &&
    !recovery.patch;
  return {
    kind: "error",
    error: {
      code,
      message,
      ...(details && { details }),
      ...(recovery && {
        recovery: addSession ? { ...recovery, args: { sessionId, ...recovery.args } } : recovery,
      }),
    },
  };
}

function describeNext(catalogue: readonly Operation[], stage: Stage): string {
  const opensAt = (wanted: Stage) => {
    const names = catalogue
      .filter(
        ({ family, toolset, stage: opens }) =>
          family === "ledger" && toolset !== "people" && stages[opens] === wanted,
      )
      .map(({ name }) => name.split(".")[0]);
    return [...new Set(names)].join(", ");
  };
  switch (stage) {
    case stages.entry:
      return "Open a session with start_new or load_context.";
    case stages.init_complete:
      return `Available now: ${opensAt(1)}. Next: cipher, which unlocks ${opensAt(2)}.`;
    case stages.cipher_loaded:
    case stages.domain_active:
      return `Available now: ${opensAt(2)}.`;
  }
}
