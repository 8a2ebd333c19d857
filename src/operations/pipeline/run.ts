import type { Once } from "../../domain/ledger/requests.ts";
import { canonicalJson } from "../../kernel/json/canonical-json.ts";
import type { Ask, Suggestion, Warning } from "../../kernel/reply.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import type { LedgerEvent } from "../../ports/events.ts";
import type { CommitOptions } from "../../ports/memory/memory-store.ts";
import {
  type Answers,
  type BaseContext,
  type Caller,
  fail,
  type MemoryContext,
  type OperationContext,
  type Services,
  type StandingChange,
} from "./context.ts";
import type { Args, Operation } from "./operation.ts";
import type { RoutedCall } from "./perform.ts";
import { moveStanding, type ResolvedScope } from "./standing.ts";

/** What a handler leaves behind beside its answer. */
export type Collected = { warnings: Warning[]; suggestions: Suggestion[]; events: LedgerEvent[] };

const noSignal = new AbortController().signal;
const noProgress = () => {};

/**
 * The context of one call: what this one carries, what it works on, and what all calls share. Written as one literal and
 * the shared part last: V8 takes tens of microseconds to add that many members to a copy.
 */
export function openRun(
  services: Services,
  { caller, signal = noSignal, progress = noProgress, viaGateway }: RoutedCall,
  scope: ResolvedScope,
  { name }: Operation,
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
    ...(scope.of === "session" && withStanding(services, caller, scope, collected)),
    ...(scope.of === "workspace" && withWorkspace(services, once, signal, scope)),
    ...services,
  };
  return { context, collected };
}

/** The second run of a call that asked its client says again what the first one said. */
function warnOnce(warnings: Warning[], { code, message, ...rest }: Warning): void {
  if (warnings.some((earlier) => earlier.code === code && earlier.message === message)) return;
  warnings.push({ code, message, ...rest });
}

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

function onceOf(name: string, input: Args): Once | undefined {
  if (typeof input["idempotencyKey"] !== "string") return undefined;
  const { idempotencyKey, ...content } = input;
  return { key: String(idempotencyKey), fingerprint: sha256Hex(canonicalJson({ name, content })) };
}

function withStanding(
  services: Services,
  caller: Caller,
  { standing }: Extract<ResolvedScope, { of: "session" }>,
  collected: Collected,
): Omit<OperationContext, keyof BaseContext> {
  return {
    standing,
    async moveStanding(change: StandingChange) {
      const previousStage = standing.stage;
      await moveStanding(services, caller, standing.sessionId, change);
      Object.assign(standing, change);
      if (standing.stage === previousStage || standing.sessionId === undefined) return;
      const data = { previousStage, newStage: standing.stage };
      const timestamp = services.clock().toISOString();
      collected.events.push({ type: "stage_changed", timestamp, sessionId: standing.sessionId, data });
    },
  };
}

function withWorkspace(
  { memory, clock, settings }: Services,
  once: Once | undefined,
  signal: AbortSignal,
  { workspace, ownWorkspace, state }: Extract<ResolvedScope, { of: "workspace" }>,
): Omit<MemoryContext, keyof BaseContext> {
  let commits = 0;
  /** Each commit of a call is remembered under a key of its own. */
  const nextCommit = (): CommitOptions => {
    const nth = commits++;
    return {
      at: clock(),
      once: once && nth > 0 ? { ...once, key: `${once.key}#${nth}` } : once,
      projectGuard: settings.projectGuard,
    };
  };
  return {
    workspace,
    ownWorkspace,
    state,
    commit: (steps) => memory.commit(workspace, steps, nextCommit()),
    mergeGraph: (merge, onProgress) =>
      memory.mergeGraph(workspace, merge, { signal, onProgress, ...nextCommit() }),
  };
}
