import { type ErrorCode, type Recovery, ThoughtboxError } from "../kernel/errors.ts";
import { quote, shellWord } from "../kernel/text.ts";
import { putIntoWords } from "../operations/pipeline/recoveries.ts";

/** 1: the command failed. 2: the command was not understood. */
type ExitCode = 1 | 2;

/** What a command prints instead of an answer: one sentence, and the next step if there is one. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: ExitCode;
  readonly next: string | undefined;
  readonly code: ErrorCode | undefined;

  constructor(message: string, { exitCode = 1 as ExitCode, next, code }: FailureWords = {}) {
    super(message);
    this.exitCode = exitCode;
    this.next = next;
    this.code = code;
  }
}

type FailureWords = { exitCode?: ExitCode; next?: string | undefined; code?: ErrorCode };

export function notUnderstood(message: string, next?: string): CommandFailure {
  return new CommandFailure(message, { exitCode: 2, next });
}

/** Returns `undefined` for an unexpected error, which is a bug and is logged with its stack. */
export function toFailure(thrown: unknown): CommandFailure | undefined {
  if (thrown instanceof CommandFailure) return thrown;
  if (thrown instanceof ThoughtboxError) {
    const { code } = thrown;
    if (code === "INTERNAL_ERROR") return undefined;
    const { message, recovery } = putIntoWords(thrown);
    return new CommandFailure(message, { next: describeRecovery(recovery), code });
  }
  const { code, syscall, path, name } = thrown as NodeJS.ErrnoException;
  if (name === "AbortError") return new CommandFailure("Stopped. Everything done so far is kept.");
  if (code === undefined || syscall === undefined) return undefined;
  if (code === "ENOSPC" || code === "EDQUOT")
    return new CommandFailure("The disk is full. Nothing was changed.", {
      next: "Free some space and run the command again.",
    });
  const what = path === undefined ? "A file or service outside Thoughtbox" : quote(path);
  return new CommandFailure(`${what} cannot be used (${code}).`);
}

/** The variable that each option overrides. */
const optionOf: Readonly<Record<string, string>> = {
  "data-dir": "THOUGHTBOX_DATA_DIR",
  into: "THOUGHTBOX_PROJECT",
  project: "THOUGHTBOX_PROJECT",
  workspace: "THOUGHTBOX_WORKSPACE",
  host: "HOST",
  port: "PORT",
};

/** Replaces a variable's name in a message with the option that overrode the variable. */
export function nameTypedOptions(
  failure: CommandFailure,
  isGiven: (option: string) => boolean,
): CommandFailure {
  const rename = (text: string): string =>
    Object.entries(optionOf)
      .filter(([option]) => isGiven(option))
      .reduce(
        (said, [option, variable]) =>
          said
            .replace(new RegExp(`\\b${variable}=(\\S+) (thoughtbox [a-z]+)`, "g"), `$2 --${option} $1`)
            .replace(new RegExp(`\\b${variable}\\b`, "g"), `--${option}`),
        isGiven("to") ? text.replace(/\bfor the destination\b/, "with --to") : text,
      );
  const { message, next, exitCode, code } = failure;
  return new CommandFailure(rename(message), {
    exitCode,
    next: next === undefined ? undefined : rename(next),
    ...(code && { code }),
  });
}

/** Returns the hint and, if there is a next call, a command that a person can paste. */
export function describeRecovery(recovery: Recovery | undefined): string | undefined {
  if (!recovery) return undefined;
  const { hint, operation, args = {}, patch } = recovery;
  if (operation === undefined || patch) return hint;
  const words = Object.entries(args).map(([name, value]) => `${name}=${shellWord(value)}`);
  const { sessionId } = args as { sessionId?: unknown };
  const command =
    operation === "get_structure" && sessionId !== undefined
      ? `show ${shellWord(sessionId)}`
      : (own[operation] ?? ["call", operation, ...words].join(" "));
  return `${hint.replace(/\.$/, "")}: thoughtbox ${command}`;
}

/** Maps operations that have their own command to that command. */
const own: Readonly<Record<string, string>> = {
  list_sessions: "ls",
  "session.list": "ls",
  "knowledge.list_patterns": "knowledge",
  "knowledge.list_scratchpad": "knowledge",
};
