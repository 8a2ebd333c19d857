import type { Once } from "../../domain/ledger/requests.ts";
import { canonicalJson } from "../../kernel/json/canonical-json.ts";
import type { Ask, Reply, Warning } from "../../kernel/reply.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import type { EventSink } from "../../ports/events.ts";
import type { CommitOptions } from "../../ports/memory/memory-store.ts";
import { callerStateIn, type ResolvedScope, requireStage, resolveScope, textOf } from "./caller-state.ts";
import {
  type Answers,
  type BaseContext,
  type Caller,
  type Collected,
  fail,
  type MemoryContext,
  ownProject,
  type Services,
} from "./context.ts";
import { requireSession, spellOutSessions } from "./find-session.ts";
import { continuations, fitAnswer, wholeAnswer } from "./fit/fit.ts";
import { createNormaliser, gatewayName } from "./normalise.ts";
import type { Args, Operation } from "./operation.ts";
import { cancelled, toErrorReply, toResult } from "./reply.ts";
import { applyRoots } from "./root-project.ts";
import { guardAnswers, guardInput, showAnswer, showLongAnswer } from "./secrets.ts";
import { validate } from "./validation/validate.ts";

export type PerformOptions = Services & {
  publish: EventSink;
};

export type Call = {
  caller: Caller;
  answers?: Answers;
  signal?: AbortSignal;
  progress?: BaseContext["progress"];
  /** Set for resources, which are readable at any stage. */
  anyStage?: true;
  /** If the client's roots choose the project, the client may be asked for them before the operation runs. */
  mayAskRoots?: boolean;
};

export type RoutedCall = Call & { viaGateway: boolean };

export type Perform = (name: string, args: unknown, call: Call) => Promise<Reply>;

/**
 * The only entry point: every surface (MCP, CLI, HTTP, library) calls it, and nothing outside `operations/` validates
 * arguments.
 */
export function createPerform({ publish, ...services }: PerformOptions): Perform {
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
      const refused = toErrorReply(
        thrown,
        services.catalogue,
        { operation: called, sessionId },
        services.report,
      );
      return services.settings.secrets.forAnswer(refused);
    }
  };
}

async function runStages(
  services: Services,
  publish: EventSink,
  operation: Operation,
  given: Args,
  received: RoutedCall,
): Promise<Reply> {
  const mayUseRoots = received.mayAskRoots || received.caller.binding?.roots !== undefined;
  const call = mayUseRoots ? applyRoots(services, operation, given, received) : received;
  if (call === "ask") return { kind: "ask", ask: { ask: "roots", isOptional: true } };
  if (operation.toolset === "people" && call.caller.client !== undefined) refuseAgent(operation);
  const args = await spellOutSessions(services, operation, given, call.caller);
  const isStaged =
    call.viaGateway && services.settings.staged && !call.anyStage && call.caller.transport !== "cli";
  const scope = await resolveScope(services, operation, args, call.caller, isStaged);
  if (isStaged) await requireStage(services, operation, scope, args);
  const { input, warnings: clamped } = validate(operation, args);
  const lacksSession = operation.scope === "session" && scope.of === "caller" && !scope.callerState.session;
  const fallback = lacksSession
    ? await requireSession(services, operation, scope.callerState, call.caller)
    : [];

  const { answers, warnings } = recallCall(call.answers ?? {}, call.caller, operation.name, input);
  const { context, collected } = openRun(services, call, scope, operation, input, warnings);
  for (const warning of clamped) context.warn(warning);
  for (const warning of fallback) context.warn(warning);
  const safe = guardInput(operation, input, context);
  context.answers = guardAnswers(operation, answers, context);

  const own = ownFields(operation, safe);
  const handle = () => operation.handle(own, context);
  const isReading = scope.of === "workspace" && operation.effect === "read";
  let outcome: Awaited<ReturnType<typeof handle>>;
  try {
    outcome = await (isReading && !operation.runsGit ? services.memory.together(handle) : handle());
  } finally {
    // The changes that these events report are already committed, even if the rest of the answer fails later.
    for (const event of collected.events) publish(event);
  }
  if (isAsk(outcome))
    return { kind: "ask", ask: rememberCall(outcome, operation.name, input, collected.warnings) };

  const shown = await showLongAnswer(operation, outcome, context);
  const isBackup = operation.secrets.mask === false;
  const fitted = isBackup ? wholeAnswer(shown) : fitAnswer(shown, operation.fit, input);
  for (const warning of fitted.warnings) context.warn(warning);
  const more = isReading ? { workspace: scope.workspace, ...safe } : fitted.onward?.goesOn && safe;
  if (more) for (const next of continuations(operation, more, fitted)) context.suggest(next);
  const { warnings: toKnow, suggestions } = collected;
  const isSilent = toKnow.length + suggestions.length === 0;
  const beside = isSilent ? collected : showAnswer(operation, { warnings: toKnow, suggestions }, context);
  return toResult(operation, isStaged ? services.catalogue : undefined, scope, fitted, beside);
}

/** Refuses an agent's call of an operation that records what a person said. */
function refuseAgent({ name }: Operation): never {
  return fail(
    "INVALID_OPERATION",
    `Only people can call ${name}, in the Observatory or on the command line.`,
    {
      recovery: { hint: "Record your view as a thought." },
    },
  );
}

function ownFields({ common }: Operation, input: Args): Args {
  const own: Args = {};
  for (const name of Object.keys(input)) if (!common.includes(name)) own[name] = input[name];
  return own;
}

const isAsk = (outcome: object): outcome is Extract<Reply, { kind: "ask" }>["ask"] => "ask" in outcome;

const noSignal = new AbortController().signal;
const noProgress = () => {};

/**
 * Creates the context of a call: its own data, its scope, and the shared services. The context is one literal
 * with the shared part last, because V8 takes tens of microseconds to add that many members to a copy.
 */
export function openRun(
  services: Services,
  { caller, signal = noSignal, progress = noProgress, viaGateway }: RoutedCall,
  scope: ResolvedScope,
  { name, effect }: Operation,
  input: Args,
  warnings: readonly Warning[],
): { context: BaseContext; collected: Collected } {
  const collected: Collected = { warnings: [...warnings], suggestions: [], events: [] };
  const once = onceOf(name, input);
  const context: BaseContext = {
    caller,
    viaGateway,
    answers: {},
    signal,
    progress,
    fail,
    once,
    warn: (warning) => warnOnce(collected.warnings, warning),
    suggest: (suggestion) => collected.suggestions.push(suggestion),
    emit: (event) => collected.events.push(event),
    ...(scope.of === "caller" &&
      callerStateIn(services, caller, scope.callerState, (event) => collected.events.push(event))),
    ...(scope.of === "workspace" &&
      withWorkspace(services, caller, once, signal, scope, input, effect !== "read")),
    ...services,
  };
  return { context, collected };
}

/** Skips duplicates: if a call asks its client, the second run repeats the warnings of the first. */
function warnOnce(warnings: Warning[], { code, message, ...rest }: Warning): void {
  if (warnings.some((earlier) => earlier.code === code && earlier.message === message)) return;
  warnings.push({ code, message, ...rest });
}

type Remembered = {
  /** Identifies the call that asked. The answer is not valid for any other call. */
  call: string;
  warnings: Warning[];
  state: Args;
};

/** Returns the fingerprint of a call. Identical calls have the same fingerprint. */
const fingerprint = (name: string, input: Args): string =>
  sha256Hex(canonicalJson({ name, input: withoutUndefined(input) }));

const withoutUndefined = (input: Args): Args =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** Adds what the second run of the call needs from the first. */
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
 * Returns the state from the first run of the same call. A modern client sends the state back, signed, and might
 * attach it to a different call. That call is then treated as new. A legacy client never receives the state.
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

function onceOf(name: string, input: Args): Once | undefined {
  if (typeof input["idempotencyKey"] !== "string") return undefined;
  const { idempotencyKey, ...content } = input;
  return { key: String(idempotencyKey), fingerprint: sha256Hex(canonicalJson({ name, content })) };
}

function withWorkspace(
  { memory, clock, settings }: Services,
  caller: Caller,
  once: Once | undefined,
  signal: AbortSignal,
  { workspace, ownWorkspace, agent: by, state }: Extract<ResolvedScope, { of: "workspace" }>,
  { agent_id }: Record<string, unknown>,
  writes: boolean,
): Omit<MemoryContext, keyof BaseContext> {
  let commits = 0;
  /** Returns the options of the next commit. Each commit within a call has its own idempotency key. */
  const nextCommit = (): CommitOptions => {
    const nth = commits++;
    return {
      at: clock(),
      by: by.keys.length > 0 ? by : undefined,
      once: once && nth > 0 ? { ...once, key: `${once.key}#${nth}` } : once,
      projectGuard: settings.projectGuard,
      project: ownProject(caller, settings),
      agent: typeof agent_id === "string" ? agent_id : (settings.agentId ?? caller.client?.slice(0, 200)),
      clearedFocus: state?.cleared,
    };
  };
  return {
    workspace,
    ownWorkspace,
    state,
    agent: by,
    writes,
    commit: (steps) => memory.commit(workspace, steps, nextCommit()),
    commitWith: (request, steps) => memory.commitWith(request, workspace, steps, nextCommit()),
    mergeGraph: (merge, onProgress) =>
      memory.mergeGraph(workspace, merge, { signal, onProgress, ...nextCommit() }),
  };
}
