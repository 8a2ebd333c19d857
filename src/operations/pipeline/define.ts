import * as z from "zod";
import type { HandleState, Session } from "../../domain/ledger/session.ts";
import type { StageName } from "../../domain/stages/stages.ts";
import type { Clock } from "../../kernel/clock.ts";
import { type ErrorCode, type FailureOptions, ThoughtboxError } from "../../kernel/errors.ts";
import type { Ask, Warning } from "../../kernel/reply.ts";
import type { Content } from "../../ports/content.ts";
import type { LedgerEvent } from "../../ports/events.ts";
import type { ExportFiles } from "../../ports/exports.ts";
import type { KnowledgeStore } from "../../ports/knowledge-store.ts";
import type { LedgerImport } from "../../ports/ledger-import.ts";
import type { LedgerStore, Once } from "../../ports/ledger-store.ts";
import type { MemoryStore } from "../../ports/memory/memory-store.ts";
import type { ToolVisibility } from "../../ports/tool-visibility.ts";
import type { LedgerTree } from "../../ports/tree.ts";
import type { Caller } from "./caller.ts";
import { idempotencyKey, sessionId } from "./fields.ts";

/** The session a call works on, and what its holder has reached. Resolved once, in `perform`. */
export type Handle = HandleState & {
  sessionId: string | undefined;
  session: Session | undefined;
  project: string;
};

export type HandleChange = Partial<HandleState> & { sessionId?: string; project?: string };

export type Root = { uri: string; name?: string | undefined };

/** What the client said when it was asked; `undefined` before. An empty list may mean that it did not answer. */
export type Answers = {
  roots?: readonly Root[] | undefined;
  critique?: { text: string; model: string } | { failed: string } | undefined;
  /** What the first run of this call asked to be kept; nobody but this server can have written it. */
  state?: Record<string, unknown> | undefined;
};

/** What the operator decided; see `config.ts` for where it comes from. */
export type Settings = {
  version: string;
  project: string;
  projectLock: boolean;
  staged: boolean;
  secrets: "warn" | "redact" | "off";
  autoCreateSession: boolean;
  reasoningSessionId?: string | undefined;
  partitionGranularity: "monthly" | "weekly" | "daily" | "none";
  /** Whether a finished session is written to the exports directory by itself. */
  autoExport: boolean;
  /** Whether answers to thoughts may suggest fields to use. */
  suggestions: boolean;
  /** The workspace of calls that name none; the caller's project unless told. */
  workspace?: string | undefined;
  workspaceLock: boolean;
  workspaceAllow: readonly string[];
  projectGuard?: string | undefined;
  agentId?: string | undefined;
  /** The directory of the store, or `:memory:`. */
  storageDir: string;
};

export type OperationContext = {
  caller: Caller;
  handle: Handle;
  settings: Settings;
  catalogue: readonly Operation[];
  ledger: LedgerStore;
  imports: LedgerImport;
  memory: MemoryStore;
  knowledge: KnowledgeStore;
  discovery: ToolVisibility;
  content: Content;
  exports: ExportFiles;
  /** The ledger as JSON files; `undefined` where the storage keeps none. */
  tree: LedgerTree | undefined;
  clock: Clock;
  newId(): string;
  newSalt(): string;
  /** Set when the caller gave an idempotencyKey. */
  once: Once | undefined;
  answers: Answers;
  signal: AbortSignal;
  progress(done: number, total: number, message: string): void;
  /** Rides along with a successful answer. */
  warn(warning: Warning): void;
  /** Published after the operation succeeded. */
  emit(event: LedgerEvent): void;
  /** Moves the caller's handle: its binding, and what is stored with the session. */
  moveHandle(change: HandleChange): Promise<void>;
};

export type Fail<Code extends ErrorCode> = (code: Code, message: string, options?: FailureOptions) => never;

/** The smallest toolset that advertises the operation as a tool of its own; the gateway reaches all. */
export type Toolset = "core" | "daily" | "full";

type Example<Input> = {
  title: string;
  /** Name of a prepared situation in the tests; nothing is prepared without. */
  given?: string;
  input: Input;
};

type CommonFields = {
  sessionId: z.ZodOptional<typeof sessionId>;
  idempotencyKey: z.ZodOptional<typeof idempotencyKey>;
};

type Declaration<Shape extends z.ZodRawShape, Output extends z.ZodObject, Code extends ErrorCode> = {
  /** Wire name; `group.verb` is `{ operation: "group", subOperation: "verb" }` on the gateway. */
  name: string;
  family: "ledger" | "memory";
  title: string;
  summary: string;
  toolset: Toolset;
  stage: StageName;
  effect: "read" | "write" | "destroy";
  /** `required`: `context.handle.session` is there. `own`: the operation resolves its sessionId itself. */
  session?: "required" | "own";
  /** Its own fields; `sessionId` (in the ledger) and, for writes, `idempotencyKey` come by themselves. */
  input: Shape;
  /** Accepted and documented, but not advertised in `tools/list`. */
  advanced?: readonly (keyof Shape & string)[];
  /** Other spellings that callers use, turned into ours before anything is checked. */
  spellings?: {
    aliases?: Readonly<Record<string, keyof Shape & string>>;
    /** Objects whose members are laid out flat. */
    envelopes?: readonly string[];
    reshape?: (args: Record<string, unknown>) => Record<string, unknown>;
  };
  output: Output;
  /** Answers Markdown in its `markdown` field. */
  prose?: true;
  /** The list to shorten when an answer would grow past the budget. */
  pages?: string;
  /** The codes this operation may fail with, besides those that routing itself raises. */
  errors: readonly Code[];
  /** Shown in help and docs, and executed as tests on every storage backend. */
  examples: readonly Example<z.input<z.ZodObject<Shape & Omit<CommonFields, keyof Shape>>>>[];
  handle(
    input: z.output<z.ZodObject<Shape>>,
    context: OperationContext,
    fail: Fail<Code>,
  ): Promise<z.input<Output> | Ask>;
};

/** The same for every operation, whatever its types: what routing, docs and tests work with. */
export type Operation = Omit<
  Declaration<z.ZodRawShape, z.ZodObject, ErrorCode>,
  "input" | "handle" | "advanced" | "spellings" | "examples"
> & {
  input: z.ZodObject;
  advanced: readonly string[];
  spellings: {
    aliases: Readonly<Record<string, string>>;
    envelopes: readonly string[];
    reshape?: (args: Record<string, unknown>) => Record<string, unknown>;
  };
  examples: readonly Example<Record<string, unknown>>[];
  handle(input: Record<string, unknown>, context: OperationContext): Promise<Record<string, unknown> | Ask>;
};

const fail: Fail<ErrorCode> = (code, message, options) => {
  throw new ThoughtboxError(code, message, options);
};

export function defineOperation<
  Shape extends z.ZodRawShape,
  Output extends z.ZodObject,
  const Code extends ErrorCode,
>(declared: Declaration<Shape, Output, Code>): Operation {
  const { input, advanced = [], spellings = {}, handle, ...rest } = declared;
  const schema = z.strictObject({
    ...input,
    ...("sessionId" in input || declared.family === "memory" ? {} : { sessionId: sessionId.optional() }),
    ...(declared.effect === "read" ? {} : { idempotencyKey: idempotencyKey.optional() }),
  });
  return {
    ...rest,
    input: schema,
    advanced: declared.effect === "read" ? advanced : [...advanced, "idempotencyKey"],
    spellings: { aliases: {}, envelopes: [], ...spellings } as Operation["spellings"],
    handle: (parsed, context) =>
      handle(ownFields(parsed, input) as z.output<z.ZodObject<Shape>>, context, fail),
  };
}

/** Handlers see what they declared; the common fields reach them through the context. */
function ownFields(parsed: Record<string, unknown>, declared: z.ZodRawShape): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parsed).filter(([name]) => Object.hasOwn(declared, name)));
}
