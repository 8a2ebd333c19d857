import type * as z from "zod";
import type { StageName } from "../../domain/stages/stages.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import type { Ask } from "../../kernel/reply.ts";
import type { BaseContext, Scope } from "./context.ts";
import type { Fit } from "./fit/fit.ts";

/**
 * The smallest toolset that advertises the operation as its own tool. The gateway can call every operation except those
 * for `people`, which are never advertised and refuse MCP clients.
 */
export type Toolset = "core" | "daily" | "full" | "people";

export type Args = Record<string, unknown>;

export type Example<Input> = {
  title: string;
  given?: string;
  input: Input;
};

export type Spellings<Field extends string> = {
  aliases: Readonly<Record<string, Field>>;
  /** Names of objects whose properties become flat arguments. */
  envelopes: readonly string[];
  reshape?: (args: Args) => Args;
};

export type WireForm = { type: "object" } | { type: "array"; items: { type: "string" } };

export type Secrets<Field extends string> = {
  /**
   * Fields that are checked for secrets before they are stored. Depending on the setting, a secret causes a warning or
   * is masked. Default: all fields.
   */
  guard?: "all" | readonly Field[];
  /**
   * Answers mask secrets and show hidden characters. `false` only for a backup, which keeps every character: it is
   * neither masked nor shortened, and its handler returns pages.
   */
  mask?: false;
};

export type OperationHead<Name extends string, Code extends ErrorCode> = {
  /** Wire name. On the gateway, `group.verb` is `{ operation: "group", subOperation: "verb" }`. */
  name: Name;
  family: "ledger" | "memory";
  title: string;
  summary: string;
  /** When to use the tool and what to call next. Some clients show a model only this and the summary. */
  advice?: string;
  toolset: Toolset;
  stage: StageName;
  effect: "read" | "write" | "destroy";
  /** Set if a cached session is enough before the commit, which checks the session again (0225). */
  recallsSession?: true;
  /**
   * Set if the operation waits for git. Its reads share no snapshot, because PostgreSQL would keep a
   * connection open for them while git is running (0087).
   */
  runsGit?: true;
  /** Set if the operation may reach beyond this machine. */
  openWorld?: true;
  /** The result field that contains Markdown, which becomes the text of the answer. */
  prose?: "markdown" | "content";
  /** Codes raised by routing are not listed. */
  errors: readonly Code[];
};

/** An operation as used by routing, docs, surfaces and tests. `In` and `Out` are its input and result. */
export type Operation<
  In extends object = Args,
  Out extends object = Args,
  Code extends ErrorCode = ErrorCode,
  Name extends string = string,
> = OperationHead<Name, Code> & {
  scope: Scope;
  secrets: Secrets<string>;
  fit: Fit;
  input: z.ZodObject;
  output: z.ZodObject;
  advanced: readonly string[];
  /**
   * Fields that other operations have too. A handler does not receive these fields, because its context
   * contains their values.
   */
  common: readonly string[];
  /** The form that clients see, for fields with a simpler form than the operation accepts. */
  wire: Readonly<Record<string, WireForm>>;
  spellings: Spellings<string>;
  /** Shown in help and docs, and executed as tests on every storage backend. */
  examples: readonly Example<In>[];
  handle(input: Args, context: BaseContext): Promise<Args | Ask>;
  /** Never set. Carries the type of the result. */
  readonly result?: Out;
};

export type ResultOf<Op extends Operation> = NonNullable<Op["result"]>;
