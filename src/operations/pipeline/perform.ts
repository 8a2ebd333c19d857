import { stages } from "../../domain/stages/stages.ts";
import { canonicalJson } from "../../kernel/canonical-json.ts";
import { ThoughtboxError, toThoughtboxError } from "../../kernel/errors.ts";
import type { Ask, ErrorReply, Reply, Warning } from "../../kernel/reply.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import type { EventSink, LedgerEvent } from "../../ports/events.ts";
import type { Once } from "../../ports/ledger-store.ts";
import { fitList } from "./budget.ts";
import type { Caller } from "./caller.ts";
import type { Answers, Handle, Operation, OperationContext } from "./define.ts";
import { moveHandle, resolveHandle } from "./handle.ts";
import { normaliseCall } from "./normalise.ts";
import { putIntoWords } from "./recoveries.ts";
import { describeNext, recentSessions, requireStage } from "./stage-gate.ts";
import { validate } from "./validate.ts";

/** What all calls share; built once, in `app.ts`. */
export type Services = Pick<
  OperationContext,
  | "catalogue"
  | "ledger"
  | "knowledge"
  | "memory"
  | "imports"
  | "discovery"
  | "content"
  | "exports"
  | "tree"
  | "settings"
  | "clock"
  | "newId"
  | "newSalt"
> & {
  publish: EventSink;
  /** Causes of INTERNAL_ERROR and STORAGE_ERROR, for the log; callers never see them. */
  report(thrown: unknown): void;
};

export type Call = {
  caller: Caller;
  answers?: Answers;
  signal?: AbortSignal;
  progress?: OperationContext["progress"];
  /** Resources are readable at any stage. */
  anyStage?: true;
};

export type Perform = (name: string, args: unknown, call: Call) => Promise<Reply>;

/** What handlers see of the services. */
type Shared = Omit<Services, "publish" | "report">;

/** The only door: every surface (MCP, CLI, HTTP, library) enters here, and nothing validates anywhere else. */
export function createPerform(services: Services): Perform {
  const { publish: _publish, report: _report, ...shared } = services;
  return async (name, args, call) => {
    let named: string | undefined;
    try {
      const normal = normaliseCall(services.catalogue, name, args);
      named = typeof normal.args["sessionId"] === "string" ? normal.args["sessionId"] : undefined;
      return await run(services, shared, normal.operation, normal.args, named, call);
    } catch (thrown) {
      if (isCancellation(thrown, call)) return { kind: "error", error: cancelled };
      return { kind: "error", error: toErrorReply(services, thrown, named) };
    }
  };
}

/** Nobody waits for this answer any more, and nothing went wrong. */
const cancelled: ErrorReply = { code: "INTERNAL_ERROR", message: "The call was cancelled." };

const isCancellation = (thrown: unknown, { signal }: Call): boolean =>
  signal?.aborted === true && thrown === signal.reason;

async function run(
  services: Services,
  shared: Shared,
  operation: Operation,
  args: Record<string, unknown>,
  named: string | undefined,
  call: Call,
): Promise<Reply> {
  const { ledger, settings, catalogue } = services;
  const handle = await resolveHandle(
    ledger,
    settings,
    call.caller,
    operation.session === "own" ? undefined : named,
  );
  if (settings.staged && !call.anyStage && call.caller.transport !== "cli")
    await requireStage(operation, handle, named, ledger);
  const input = validate(operation, args);
  if (operation.session === "required" && !handle.session)
    throw await sessionMissing(services, operation, handle);

  const collected: { warnings: Warning[]; events: LedgerEvent[] } = { warnings: [], events: [] };
  const context = createContext(services, shared, call, handle, operation, input, collected);
  const outcome = await operation.handle(input, context).finally(() => {
    // What is told here is committed, also where the rest of the answer then failed.
    for (const event of collected.events) services.publish(event);
  });
  if (isAsk(outcome)) return { kind: "ask", ask: outcome };

  const { warnings } = collected;
  const result = fitList(
    {
      ...outcome,
      ...(operation.family === "ledger" && ledgerExtras(operation, outcome, handle, catalogue)),
      ...(warnings.length > 0 && { warnings }),
    },
    operation.pages ?? "",
  );
  return operation.prose
    ? { kind: "result", result, markdown: String(outcome["markdown"]) }
    : { kind: "result", result };
}

/** Where the caller stands in the ledger; the memory has no stages and no current session. */
function ledgerExtras(
  { stage }: Operation,
  outcome: Record<string, unknown>,
  { sessionId, ...handle }: Handle,
  catalogue: readonly Operation[],
): Record<string, unknown> {
  // Who asked for so many characters gets no more than those.
  if ("budget" in outcome) return {};
  return {
    ...(!("sessionId" in outcome) && sessionId !== undefined && { sessionId }),
    ...(stages[stage] <= stages.init_complete && { next: describeNext(catalogue, handle.stage) }),
  };
}

function createContext(
  services: Services,
  shared: Shared,
  { caller, answers = {}, signal = new AbortController().signal, progress = () => {} }: Call,
  handle: Handle,
  { name }: Operation,
  input: Record<string, unknown>,
  collected: { warnings: Warning[]; events: LedgerEvent[] },
): OperationContext {
  return {
    ...shared,
    caller,
    handle,
    answers,
    signal,
    progress,
    once: onceOf(name, input),
    warn: (warning) => collected.warnings.push(warning),
    emit: (event) => collected.events.push(event),
    async moveHandle(change) {
      const previousStage = handle.stage;
      await moveHandle(services.ledger, caller, handle.sessionId, change);
      Object.assign(handle, change);
      if (handle.stage === previousStage || handle.sessionId === undefined) return;
      const data = { previousStage, newStage: handle.stage };
      const timestamp = services.clock().toISOString();
      collected.events.push({ type: "stage_changed", timestamp, sessionId: handle.sessionId, data });
    },
  };
}

function onceOf(name: string, input: Record<string, unknown>): Once | undefined {
  if (typeof input["idempotencyKey"] !== "string") return undefined;
  const { idempotencyKey, ...content } = input;
  return { key: String(idempotencyKey), fingerprint: sha256Hex(canonicalJson({ name, content })) };
}

const isAsk = (outcome: Record<string, unknown> | Ask): outcome is Ask => "ask" in outcome;

async function sessionMissing(
  services: Services,
  { name }: Operation,
  handle: Handle,
): Promise<ThoughtboxError> {
  const recent = await recentSessions(services.ledger, handle.project);
  const latest = recent[0];
  return new ThoughtboxError("SESSION_NOT_FOUND", `${name} needs a session: pass sessionId.`, {
    details: { recentSessions: recent },
    recovery: latest
      ? {
          hint: "Load a session, or start one by start_new.",
          operation: "load_context",
          args: { sessionId: latest.sessionId },
        }
      : { hint: "Start a session.", operation: "start_new", args: {} },
  });
}

/** A recovery that works on a session must name it, or it would not work when executed as it stands. */
function toErrorReply(
  { catalogue, report }: Services,
  thrown: unknown,
  named: string | undefined,
): ErrorReply {
  const error = toThoughtboxError(thrown);
  if (error.cause !== undefined) report(error.cause);
  const { code } = error;
  const { message, details, recovery } = putIntoWords(error);
  const target = catalogue.find(({ name }) => name === recovery?.operation);
  const addSession =
    recovery &&
    named !== undefined &&
    code !== "SESSION_NOT_FOUND" &&
    target !== undefined &&
    stages[target.stage] > stages.entry &&
    !recovery.patch;
  return {
    code,
    message,
    ...(details && { details }),
    ...(recovery && {
      recovery: addSession ? { ...recovery, args: { sessionId: named, ...recovery.args } } : recovery,
    }),
  };
}
