import type { ErrorCode, Operations } from "./operations.d.ts";

/*
 * The types of `import … from "thoughtbox"`. The build copies this file to `dist/index.d.mts`, and the
 * compiler checks `src/library.ts` against it. This file can import only the file next to it.
 */

export type { ErrorCode, Operations } from "./operations.d.ts";

/** `"thought"`, `"session.search"` … */
export type OperationName = keyof Operations & string;

/** The arguments of an operation: `ArgumentsOf<"thought">`. */
export type ArgumentsOf<Name extends OperationName> = Operations[Name]["arguments"];

/** The result of an operation: `ResultOf<"thought">`. */
export type ResultOf<Name extends OperationName> = (Name extends "open"
  ? Opened
  : Operations[Name]["result"]) &
  Omit<AnyResult, keyof Operations[Name]["result"]>;

type OpenResult = Operations["open"]["result"];

/** The field that is always set, for each kind of thing that `open` finds. */
interface OpenedCentres extends Record<OpenResult["kind"], keyof OpenResult> {
  session: "entries";
  thought: "entry";
  doc_entry: "entry";
  card: "card";
  node: "node";
  graph_version: "head";
  task: "capsule";
  plan: "capsule";
  step: "step";
  task_event: "event";
  job: "job";
  job_event: "event";
  runner: "lease";
  anchor: "anchor";
  conflict: "conflict";
  branch: "branch";
  tag: "tag";
}

/** The result of `open`. `kind` shows which field is set: `if (found.kind === "card") found.card`. */
export type Opened = {
  [Kind in keyof OpenedCentres]: Omit<OpenResult, "kind" | OpenedCentres[Kind]> & {
    kind: Kind;
  } & Required<Pick<OpenResult, OpenedCentres[Kind]>>;
}[keyof OpenedCentres];

/** Fields that any answer may have. */
export interface AnyResult {
  /** The session that the call worked on. */
  sessionId?: string;
  /** Set if the call succeeded but you should know something about it. */
  warnings?: Warning[];
  /** In the first two stages: which operations are open now, and which open next. */
  next?: string;
  /** The answer was too large, so items at the end of its list were dropped. `hasMore` is then true. */
  truncated?: boolean;
  hasMore?: boolean;
}

export interface Warning {
  code: string;
  message: string;
  recovery?: Recovery;
}

/** The next call to make. If `patch` is set, its `args` replace the same fields in the call that failed. */
export interface Recovery {
  hint: string;
  operation?: string;
  args?: Record<string, unknown>;
  patch?: true;
}

/** Thrown if a call is refused or fails. */
export declare class ThoughtboxError extends Error {
  readonly name: "ThoughtboxError";
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly recovery: Recovery | undefined;
  constructor(
    code: ErrorCode,
    message: string,
    options?: { details?: Record<string, unknown>; recovery?: Recovery; cause?: unknown },
  );
}

export interface ThoughtboxOptions {
  /**
   * `memory` keeps nothing after the process ends. `fs` uses an SQLite file and JSON files. `postgres` uses a database.
   * Default: `fs` if `dataDir` is set, `memory` if not.
   */
  storage?: "memory" | "fs" | "postgres" | undefined;
  /** The database URL for `postgres`, such as `postgres://user:password@host:5432/thoughtbox`. */
  databaseUrl?: string | undefined;
  /** The tenant in the database. Default: `default`. */
  tenant?: string | undefined;
  /**
   * The directory of the store. `~` is the home directory. If `storage` is `fs`, the default is `~/.thoughtbox`, as for
   * the server.
   */
  dataDir?: string | undefined;
  /** The project that sessions belong to. Default: `_default`. */
  project?: string | undefined;
  /** Refuse sessions in other projects. */
  projectLock?: boolean | undefined;
  /**
   * The default workspace of the memory. If you omit this option, the workspace is named after the project.
   */
  workspace?: string | undefined;
  /** Agent name for calls that do not specify one. */
  agentId?: string | undefined;
  /**
   * `open` (the default): every operation is available at once. `staged`: operations open step by step, to guide a
   * model.
   */
  disclosure?: "open" | "staged" | undefined;
  /**
   * What to do with text that looks like a secret. `warn` (the default) stores the text and warns. `redact`
   * masks the secret before storing the text. `off` does neither.
   */
  secrets?: "warn" | "redact" | "off" | undefined;
  /** Let answers to thoughts suggest fields for corrections and forks. Default: true. */
  suggestions?: boolean | undefined;
  /** Additional directories that exports may be written to. */
  exportDirs?: readonly string[] | undefined;
  /**
   * An environment, such as `process.env`, from which to read the server's settings, except `disclosure`.
   * Other options take precedence. By default, nothing is read.
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Receives one line for each problem that no call reports. By default, nothing is printed. */
  log?: ((line: string) => void) | undefined;
  /** Your model, called when a thought is recorded with `critique: true`. */
  critic?: Critic | undefined;
}

export type Critic = (
  prompt: { system: string; text: string; maxTokens: number },
  options: { signal: AbortSignal | undefined },
) => Promise<{ text: string; model: string }>;

export interface CallOptions {
  /** Stops a long call. The promise rejects with the signal's reason. Committed changes are kept. */
  signal?: AbortSignal | undefined;
}

/** You can omit the arguments if none of them is required. */
type CallParameters<Name extends OperationName> =
  Record<never, never> extends ArgumentsOf<Name>
    ? [args?: ArgumentsOf<Name>, options?: CallOptions]
    : [args: ArgumentsOf<Name>, options?: CallOptions];

export interface Connection {
  /**
   * Runs one operation. Rejects with a ThoughtboxError. When the promise resolves, the operation's changes
   * are on disk.
   */
  call<Name extends OperationName>(name: Name, ...rest: CallParameters<Name>): Promise<ResultOf<Name>>;
}

/** The operation that each method runs. */
export interface MethodNames {
  readonly thoughts: { readonly add: "thought"; readonly read: "read_thoughts" };
  readonly sessions: {
    readonly list: "session.list";
    readonly get: "session.get";
    readonly search: "session.search";
    readonly resume: "load_context";
    readonly delete: "session.delete";
  };
  readonly notes: { readonly add: "notes_commit" };
  readonly cards: { readonly add: "think_card" };
  readonly tasks: { readonly create: "tasks_create"; readonly list: "tasks_context" };
  readonly recall: "recall";
  readonly why: "why";
  readonly decisions: { readonly add: "decide"; readonly list: "decisions" };
  readonly changes: "changes";
  readonly open: "open";
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** A value with every field in camelCase. Keys of records are data, so they are not renamed. */
type InCamelCase<Value> = Value extends readonly unknown[]
  ? { [Index in keyof Value]: InCamelCase<Value[Index]> }
  : Value extends object
    ? {
        [Field in keyof Value as Field extends string ? CamelCase<Field> : Field]: InCamelCase<Value[Field]>;
      }
    : Value;

/** An operation's arguments for methods, with every field in camelCase. */
export type MethodArguments<Name extends OperationName> = InCamelCase<ArgumentsOf<Name>>;

/** An operation's result from methods, with every field in camelCase. */
export type MethodResult<Name extends OperationName> = InCamelCase<ResultOf<Name>>;

export type Method<Name extends OperationName> =
  Record<never, never> extends ArgumentsOf<Name>
    ? (args?: MethodArguments<Name>, options?: CallOptions) => Promise<MethodResult<Name>>
    : (args: MethodArguments<Name>, options?: CallOptions) => Promise<MethodResult<Name>>;

type MethodsOf<Names> = {
  readonly [Key in keyof Names]: Names[Key] extends OperationName
    ? Method<Names[Key]>
    : MethodsOf<Names[Key]>;
};

/**
 * The most common operations as methods: `box.thoughts.add({ thought })` is `box.call("thought", { thought })`. Every
 * field of arguments and results is in camelCase.
 */
export type Methods = MethodsOf<MethodNames>;

export interface Thoughtbox extends Connection, Methods {
  /**
   * Iterates over the answers of a list, page by page:
   * `for await (const { sessions } of box.pages("session.list", { limit: 50 }))`.
   */
  pages<Name extends OperationName>(
    name: Name,
    ...rest: CallParameters<Name>
  ): AsyncGenerator<ResultOf<Name>, void, void>;
  /**
   * Iterates over this box's events, from the moment of the call. If you pass `types`, you get only events of those
   * types. Ends when the box closes or the signal fires.
   */
  events<Type extends EventType = EventType>(
    types?: readonly Type[],
    options?: CallOptions,
  ): AsyncGenerator<ThoughtboxEvent & { type: Type }, void, void>;
  /** The operations with their JSON Schemas, which is all that you need to offer them to a model as tools. */
  readonly operations: readonly OperationDescription[];
  /** Returns a caller that remembers its session, so that you can omit `sessionId`. Needs no closing. */
  connect(): Connection;
  /**
   * Calls the listener with this box's events, shortly after each call is acknowledged. If you pass `types`,
   * the listener gets only events of those types. Returns a function that unsubscribes.
   */
  subscribe<Type extends EventType = EventType>(
    listener: (event: ThoughtboxEvent & { type: Type }) => void,
    types?: readonly Type[],
  ): () => void;
  /** Waits for running calls, writes the remaining files and closes the store. */
  close(): Promise<void>;
  /** `await using box = await createThoughtbox()` closes the box at the end of the block. */
  [Symbol.asyncDispose](): Promise<void>;
}

declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

export interface OperationDescription {
  readonly name: OperationName;
  readonly title: string;
  readonly description: string;
  readonly effect: "read" | "write" | "destroy";
  /** From 0 to 3. Matters only if `disclosure` is `staged`. */
  readonly stage: number;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema: Readonly<Record<string, unknown>>;
}

export type EventType = ThoughtboxEvent["type"];

export type ThoughtboxEvent = LedgerEvent | MemoryEvent;

/** Long text is truncated, and secrets are masked. */
export type LedgerEvent = { timestamp: string; sessionId: string } & (
  | { type: "session_started"; data: { title: string; tags: readonly string[]; project: string } }
  | { type: "session_loaded"; data: { title: string; thoughtCount: number } }
  | { type: "session_exported"; data: { format: string; path?: string } }
  | { type: "session_completed"; data: { thoughtNumber: number; thoughtCount: number } }
  | { type: "cipher_loaded"; data: Record<string, never> }
  | { type: "agent_noticed"; data: { call: string; tool: string; said: string; denied: boolean } }
  | { type: "agent_went_on"; data: { call: string; wentOn: boolean } }
  | { type: "stage_changed"; data: { previousStage: number; newStage: number } }
  | {
      type: "thought_added" | "thought_revised" | "branch_created";
      data: {
        id: string;
        thoughtNumber: number;
        totalThoughts: number;
        nextThoughtNeeded: boolean;
        thought: string;
        branchId?: string;
        branchFromThought?: number;
        revisesThought?: number;
      };
    }
);

/** Shows where the memory changed, without the text. Read the text from the memory. */
export type MemoryEvent = { timestamp: string; workspace: string } & (
  | { type: "workspace_created"; data: { checkout: string } }
  | { type: "workspace_restored"; data: { entries: number; versions: number } }
  | { type: "memory_branch_created"; data: { branch: string; base: string | null } }
  | { type: "memory_branch_renamed" | "checkout_moved"; data: { previous: string; current: string } }
  | { type: "memory_branch_deleted"; data: { branch: string } }
  | { type: "memory_branch_restored"; data: { branch: string } }
  | { type: "note_committed"; data: { branch: string; doc: string; seq: number; kind: string } }
  | { type: "notes_merged"; data: { from: string; into: string; doc: string; merged: number } }
  | {
      type: "graph_applied";
      data: {
        branch: string;
        doc: string;
        nodes_upserted: number;
        nodes_deleted: number;
        edges_upserted: number;
        edges_deleted: number;
      };
    }
  | {
      type: "graph_merged";
      data: { from: string; into: string; doc: string; merged: number; conflicts: number };
    }
  | { type: "conflict_resolved"; data: { conflict_id: string; resolution: "use_from" | "use_into" } }
  | { type: "commit_created"; data: { branch: string; doc: string; seq: number; parent: number | null } }
  | {
      type: "ref_moved";
      data: { branch: string; doc: string; previous: number | null; current: number };
    }
  | { type: "tag_created"; data: { name: string; seq: number } }
  | { type: "tag_deleted"; data: { name: string } }
);

/**
 * Thoughtbox in your own process: no server, no port, nothing on stdout or stderr. The first call that needs the store
 * opens it. Rejects with a ThoughtboxError if an option is invalid.
 */
export declare function createThoughtbox(options?: ThoughtboxOptions): Promise<Thoughtbox>;
