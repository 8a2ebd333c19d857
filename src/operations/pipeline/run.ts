import { canonicalJson } from "../../kernel/json/canonical-json.ts";
import type { Suggestion, Warning } from "../../kernel/reply.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import type { LedgerEvent } from "../../ports/events.ts";
import type { Once } from "../../ports/ledger-store.ts";
import type { CommitOptions } from "../../ports/memory/memory-store.ts";
import type { BaseContext, MemoryContext, OperationContext, Services, StandingChange } from "./context.ts";
import { fail } from "./fail.ts";
import type { Args, Operation } from "./operation.ts";
import type { RoutedCall } from "./perform.ts";
import type { ResolvedScope } from "./scope.ts";
import { moveStanding } from "./standing.ts";

/** What a handler leaves behind beside its answer. */
export type Collected = { warnings: Warning[]; suggestions: Suggestion[]; events: LedgerEvent[] };

const noSignal = new AbortController().signal;
const noProgress = () => {};

/** The context of one call: what all calls share, what this one carries, and what it works on. */
export function openRun(
  services: Services,
  { caller, signal = noSignal, progress = noProgress, viaGateway }: RoutedCall,
  scope: ResolvedScope,
  { name }: Operation,
  input: Args,
  warnings: readonly Warning[],
): { context: BaseContext; collected: Collected } {
  const collected: Collected = { warnings: [...warnings], suggestions: [], events: [] };
  const context: BaseContext = {
    caller,
    viaGateway,
    answers: {},
    signal,
    progress,
    fail,
    once: onceOf(name, input),
    warn: (warning) => warnOnce(collected.warnings, warning),
    suggest: (suggestion) => collected.suggestions.push(suggestion),
    emit: (event) => collected.events.push(event),
    ...services,
  };
  if (scope.of === "session") addHandle(context, scope, collected);
  if (scope.of === "workspace") addWorkspace(context, scope);
  return { context, collected };
}

/** The second run of a call that asked its client says again what the first one said. */
function warnOnce(warnings: Warning[], { code, message, ...rest }: Warning): void {
  if (warnings.some((earlier) => earlier.code === code && earlier.message === message)) return;
  warnings.push({ code, message, ...rest });
}

function onceOf(name: string, input: Args): Once | undefined {
  if (typeof input["idempotencyKey"] !== "string") return undefined;
  const { idempotencyKey, ...content } = input;
  return { key: String(idempotencyKey), fingerprint: sha256Hex(canonicalJson({ name, content })) };
}

function addHandle(
  context: BaseContext,
  { standing }: Extract<ResolvedScope, { of: "session" }>,
  collected: Collected,
): void {
  const more: Omit<OperationContext, keyof BaseContext> = {
    standing,
    async moveStanding(change: StandingChange) {
      const previousStage = standing.stage;
      await moveStanding(context.ledger, context.caller, standing.sessionId, change);
      Object.assign(standing, change);
      if (standing.stage === previousStage || standing.sessionId === undefined) return;
      const data = { previousStage, newStage: standing.stage };
      const timestamp = context.clock().toISOString();
      collected.events.push({ type: "stage_changed", timestamp, sessionId: standing.sessionId, data });
    },
  };
  Object.assign(context, more);
}

function addWorkspace(
  context: BaseContext,
  { workspace, ownWorkspace, state }: Extract<ResolvedScope, { of: "workspace" }>,
): void {
  let commits = 0;
  const more: Omit<MemoryContext, keyof BaseContext> = {
    workspace,
    ownWorkspace,
    state,
    commit: (steps) => context.memory.commit(workspace, steps, commitOptions(context, commits++)),
    mergeGraph: (merge, onProgress) =>
      context.memory.mergeGraph(workspace, merge, {
        ...commitOptions(context, commits++),
        signal: context.signal,
        onProgress,
      }),
  };
  Object.assign(context, more);
}

/** Each commit of a call is remembered under a key of its own. */
const commitOptions = ({ clock, once, settings }: BaseContext, nth: number): CommitOptions => ({
  at: clock(),
  once: once && nth > 0 ? { ...once, key: `${once.key}#${nth}` } : once,
  projectGuard: settings.projectGuard,
});
