import type * as z from "zod";
import type { StageName } from "../../domain/stages/stages.ts";
import type { ErrorCode } from "../../kernel/errors.ts";
import type { Ask } from "../../kernel/reply.ts";
import type { BaseContext, Scope } from "./context.ts";
import type { Fit } from "./fit/fit.ts";

/**
 * The smallest toolset that advertises the operation as its own tool; the gateway reaches all. `people`: it is advertised
 * nowhere, and MCP clients are refused.
 */
export type Toolset = "core" | "daily" | "full" | "people";

export type Args = Record<string, unknown>;

export type Example<Input> = {
  title: string;
  /** Name of a prepared situation in the tests; nothing is prepared without. */
  given?: string;
  input: Input;
};

export type Spellings<Field extends string> = {
  /** Other names of a field. */
  aliases: Readonly<Record<string, Field>>;
  /** Objects whose members are laid out flat. */
  envelopes: readonly string[];
  reshape?: (args: Args) => Args;
};

export type WireForm = { type: "object" } | { type: "array"; items: { type: "string" } };

export type Secrets<Field extends string> = {
  /** Fields whose texts are looked through before they are stored: a secret is warned of, or masked. Default all. */
  guard?: "all" | readonly Field[];
  /** Answers mask secrets and show hidden characters. `false` only for a backup, which keeps every character. */
  mask?: false;
};

/** What is the same before and after `defineOperation`. */
export type OperationHead<Name extends string, Code extends ErrorCode> = {
  /** Wire name; `group.verb` is `{ operation: "group", subOperation: "verb" }` on the gateway. */
  name: Name;
  family: "ledger" | "memory";
  title: string;
  summary: string;
  /** When to use the tool and what comes next; some clients show a model nothing but this and the summary. */
  advice?: string;
  toolset: Toolset;
  stage: StageName;
  effect: "read" | "write" | "destroy";
  /** Its session is decided by its commit, so what it knows of the session before may be older than the store (0225). */
  recallsSession?: true;
  /** It may reach beyond this machine. */
  openWorld?: true;
  /** The field of its result that contains Markdown, which becomes the text of the answer. */
  prose?: "markdown" | "content";
  /** The codes this operation may fail with, besides those that routing itself raises. */
  errors: readonly Code[];
};

/** An operation as routing, docs, surfaces and tests see it. `In` and `Out` are what it takes and returns. */
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
  /** Fields as clients see them, where the form that models use is simpler than what is taken. */
  wire: Readonly<Record<string, WireForm>>;
  spellings: Spellings<string>;
  /** Shown in help and docs, and executed as tests on every storage backend. */
  examples: readonly Example<In>[];
  handle(input: Args, context: BaseContext): Promise<Args | Ask>;
  /** Never set: carries the type of what the operation returns. */
  readonly result?: Out;
};

export type ResultOf<Op extends Operation> = NonNullable<Op["result"]>;
