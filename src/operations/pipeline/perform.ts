import type { Reply } from "../../kernel/reply.ts";
import type { EventSink } from "../../ports/events.ts";
import type { Answers, BaseContext, Caller, Services } from "./context.ts";
import { continuations, fitAnswer } from "./fit/fit.ts";
import { createNormaliser, gatewayName } from "./normalise.ts";
import type { Args, Operation } from "./operation.ts";
import { cancelled, toErrorReply, toResult } from "./reply.ts";
import { openRun, recallCall, rememberCall } from "./run.ts";
import { guardAnswers, guardInput, showAnswer } from "./secrets.ts";
import { requireSession, requireStage } from "./stage-gate.ts";
import { resolveScope, spellOutSessions, textOf } from "./standing.ts";
import { validate } from "./validation/validate.ts";

export type PerformOptions = Services & {
  publish: EventSink;
  /** Causes of INTERNAL_ERROR and STORAGE_ERROR, for the log; callers never see them. */
  report(thrown: unknown): void;
};

export type Call = {
  caller: Caller;
  answers?: Answers;
  signal?: AbortSignal;
  progress?: BaseContext["progress"];
  /** Resources are readable at any stage. */
  anyStage?: true;
};

/** A call, and the way it came. */
export type RoutedCall = Call & { viaGateway: boolean };

export type Perform = (name: string, args: unknown, call: Call) => Promise<Reply>;

/** The only door: every surface (MCP, CLI, HTTP, library) enters here, and nothing validates anywhere else. */
export function createPerform({ publish, report, ...services }: PerformOptions): Perform {
  const normalise = createNormaliser(services.catalogue);
  return async (name, args, call) => {
    let sessionId: string | undefined;
    let called: string | undefined;
    try {
      const { operation, args: spelled } = normalise(name, args);
      called = operation.name;
      sessionId = textOf(spelled, "sessionId");
      const viaGateway = name === gatewayName;
      return await runStages(services, publish, operation, spelled, { viaGateway, ...call });
    } catch (thrown) {
      if (call.signal?.aborted && thrown === call.signal.reason) return cancelled;
      const refused = toErrorReply(thrown, services.catalogue, { operation: called, sessionId }, report);
      return services.settings.secrets.forAnswer(refused);
    }
  };
}

/** A call that is spelled out goes through these, in this order. */
async function runStages(
  services: Services,
  publish: EventSink,
  operation: Operation,
  given: Args,
  call: RoutedCall,
): Promise<Reply> {
  const args = await spellOutSessions(services, operation, given, call.caller);
  const scope = await resolveScope(services, operation, args, call.caller);
  const isStaged =
    call.viaGateway && services.settings.staged && !call.anyStage && call.caller.transport !== "cli";
  if (isStaged) await requireStage(services, operation, scope, args);
  const { input, warnings: clamped } = validate(operation, args);
  const fallback = await requireSession(services, operation, scope, call.caller);

  const { answers, warnings } = recallCall(call.answers ?? {}, call.caller, operation.name, input);
  const { context, collected } = openRun(services, call, scope, operation, input, warnings);
  for (const warning of [...clamped, ...fallback]) context.warn(warning);
  const safe = guardInput(operation, input, context);
  context.answers = guardAnswers(operation, answers, context);

  const handle = () => operation.handle(safe, context);
  const isReading = scope.of === "workspace" && operation.effect === "read";
  const handled = isReading ? services.memory.together(handle) : handle();
  const outcome = await handled.finally(() => {
    // What is published here is committed, also where the rest of the answer then failed.
    for (const event of collected.events) publish(event);
  });
  if (isAsk(outcome))
    return { kind: "ask", ask: rememberCall(outcome, operation.name, input, collected.warnings) };

  const shown = showAnswer(operation, outcome, context);
  const fitted = fitAnswer(shown, operation.fit, input);
  for (const warning of fitted.warnings) context.warn(warning);
  const more = isReading && { workspace: scope.workspace, ...safe };
  if (more) for (const next of continuations(operation, more, fitted)) context.suggest(next);
  const { warnings: toKnow, suggestions } = collected;
  const beside = showAnswer(operation, { warnings: toKnow, suggestions }, context);
  return toResult(operation, isStaged ? services.catalogue : undefined, scope, fitted, beside);
}

const isAsk = (outcome: object): outcome is Extract<Reply, { kind: "ask" }>["ask"] => "ask" in outcome;
