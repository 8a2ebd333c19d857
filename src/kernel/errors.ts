/** Every error code that a caller can see. Docs and tests are generated from this table. */
export const errorCatalogue = {
  INVALID_PAYLOAD: { status: 400, meaning: "The arguments are not valid for the operation." },
  INVALID_OPERATION: { status: 400, meaning: "No operation has this name." },
  STAGE_REQUIREMENT_NOT_MET: { status: 403, meaning: "The operation needs a later stage." },
  SESSION_NOT_FOUND: { status: 404, meaning: "No session has this ID." },
  THOUGHT_NOT_FOUND: { status: 404, meaning: "The session has no such thought." },
  UNKNOWN_ID: { status: 404, meaning: "Nothing has this ID." },
  CONFLICT: { status: 409, meaning: "The ID or name is already in use." },
  NO_CHECKOUT: { status: 409, meaning: "The workspace has no branch checked out." },
  REVISION_MISMATCH: { status: 409, meaning: "The item has changed since the caller read it." },
  CHECKPOINTS_NOT_CONFIRMED: {
    status: 409,
    meaning: "Something must be confirmed or finished first.",
  },
  STEP_LEASE_HELD: { status: 409, meaning: "Another agent holds the lease on this step." },
  STEP_LEASE_NOT_HELD: { status: 409, meaning: "The caller does not hold the lease on this step." },
  MERGE_NOT_SUPPORTED: { status: 409, meaning: "These two branches cannot be merged this way." },
  WORKSPACE_LOCKED: { status: 403, meaning: "This server is locked to its own workspace." },
  WORKSPACE_NOT_ALLOWED: { status: 403, meaning: "This server does not serve that workspace." },
  PROJECT_GUARD_MISMATCH: { status: 403, meaning: "The workspace belongs to another project." },
  SANDBOX_REQUIRED: {
    status: 403,
    meaning: "No cell can run: the sandbox is too weak, or too many runs are waiting.",
  },
  STORAGE_ERROR: {
    status: 500,
    meaning: "The store could not read or write. The message states whether anything was changed.",
  },
  INTERNAL_ERROR: { status: 500, meaning: "A bug in Thoughtbox." },
  SAMPLING_NOT_SUPPORTED: { status: 501, meaning: "The client cannot answer sampling requests." },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/**
 * A call that the caller can send unchanged to continue. If `patch` is set, its `args` replace the same
 * fields in the failed call, so that a large text that was refused is not repeated.
 */
export type Recovery = { hint: string; operation?: string; args?: Record<string, unknown>; patch?: true };

/** The facts about a refusal, from which the caller's message is written. */
export type Facts = Readonly<Record<string, unknown>>;

export type FailureOptions = {
  details?: Record<string, unknown>;
  recovery?: Recovery;
  cause?: unknown;
  reason?: string;
  facts?: Facts;
};

export class ThoughtboxError extends Error {
  static {
    // The bundler shortens names, but people see this name in their logs.
    Object.defineProperty(ThoughtboxError, "name", { value: "ThoughtboxError" });
  }
  override readonly name = "ThoughtboxError";
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly recovery: Recovery | undefined;
  /**
   * Set by rules and adapters, which do not know the operations. `operations/pipeline/recoveries.ts` contains
   * the messages.
   */
  readonly reason: string | undefined;
  readonly facts: Facts | undefined;

  constructor(code: ErrorCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.recovery = options.recovery;
    this.reason = options.reason;
    this.facts = options.facts;
  }
}

/**
 * Defines the failures that the rules, ports and adapters of one family throw. Each reason has a code and takes the
 * facts for its message. The error's text is only for logs.
 */
export const defineFailures =
  <Reasons extends Record<keyof Reasons, Facts>>(codes: Readonly<Record<keyof Reasons, ErrorCode>>) =>
  <Reason extends keyof Reasons & string>(
    reason: Reason,
    facts: Reasons[Reason],
    cause?: unknown,
  ): ThoughtboxError =>
    new ThoughtboxError(codes[reason], `${reason} ${JSON.stringify(facts)}`, { reason, facts, cause });

/** Wraps any other thrown value, which is a bug. The cause is logged and hidden from the caller. */
export function toThoughtboxError(thrown: unknown): ThoughtboxError {
  if (thrown instanceof ThoughtboxError) return thrown;
  return new ThoughtboxError("INTERNAL_ERROR", "Unexpected failure inside Thoughtbox. Nothing was stored.", {
    cause: thrown,
  });
}

/** Describes a failure for the log. The stack is only shown in debug mode. */
export function describeBug(thrown: unknown, withStack: boolean): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (withStack) return thrown.stack ?? String(thrown);
  return `${thrown.name}: ${thrown.message} (--debug shows more)`;
}

/** The outcome of a call within a transaction. A refused call has changed nothing. */
export type Served<Result> =
  | { result: Result; refused?: undefined }
  | { result?: undefined; refused: ThoughtboxError };

/** Turns a thrown ThoughtboxError into a refusal. Any other error is unexpected and is thrown again. */
export function attempt<Result>(decide: () => Result): Served<Result> {
  try {
    return { result: decide() };
  } catch (thrown) {
    if (thrown instanceof ThoughtboxError) return { refused: thrown };
    throw thrown;
  }
}
