import { setTimeout as sleep } from "node:timers/promises";
import { ThoughtboxError } from "../kernel/errors.ts";
import { askOperation } from "../operations/ask-operation.ts";
import type { Caller } from "../operations/pipeline/context.ts";
import type { Args, Operation, ResultOf } from "../operations/pipeline/operation.ts";
import type { Flags } from "./command.ts";
import { CommandFailure, describeRecovery, notUnderstood } from "./failure.ts";
import type { Host, Terminal } from "./host.ts";
import { explainClamped, type FieldFlags, nameOptions } from "./operation-options.ts";
import { createProgressBar } from "./rendering/progress.ts";

export const cliCaller: Caller = {
  era: "modern",
  transport: "cli",
  can: { roots: false, sampling: false },
};

/** Opens the store for one task and always closes it afterwards. A signal asks running calls to stop. */
export async function withStore<Result>(
  terminal: Terminal,
  work: (host: Host) => Promise<Result>,
  settings: Record<string, string> = {},
): Promise<Result> {
  const host = await terminal.openStore(settings);
  const perform: Host["perform"] = (name, args, call) =>
    host.perform(name, args, { signal: terminal.stop, ...call });
  try {
    return await work({ ...host, perform });
  } finally {
    await host.close();
  }
}

type Asked = {
  signal?: AbortSignal;
  onProgress?: (done: number, total: number) => void;
  /** The next step after a failure, if the command knows a better one than the operation. */
  next?: string;
  /** Maps fields to option names, so that errors name the option that was typed. */
  typed?: { command: string; flags: FieldFlags; given?: Flags };
};

/** Calls one operation. `perform` validates the arguments. */
export async function ask<Op extends Operation>(
  host: Host,
  operation: Op,
  args: Args = {},
  { signal, onProgress, next, typed }: Asked = {},
): Promise<ResultOf<Op>> {
  const { name } = operation;
  const seeHelp = typed && `See thoughtbox ${typed.command} --help`;
  const clamped = typed?.given && explainClamped(operation, typed.flags, typed.given);
  if (clamped) throw notUnderstood(clamped, seeHelp);
  try {
    return await askOperation<Op>(host.perform, name, args, {
      caller: cliCaller,
      ...(signal && { signal }),
      ...(onProgress && { progress: onProgress }),
    });
  } catch (thrown) {
    if (!(thrown instanceof ThoughtboxError)) throw thrown;
    const { code, message, recovery } = thrown;
    const misunderstood = code === "INVALID_PAYLOAD" || code === "INVALID_OPERATION";
    // Only validation errors start with the operation's name. Other errors name the field in a hint.
    const ofOptions =
      typed && (message.startsWith(`${name}: `) || namesOption(thrown, typed.flags)) ? typed : undefined;
    const bare = message.startsWith(`${name}: `) ? message.slice(name.length + 2) : message;
    const said = ofOptions ? nameOptions(bare, ofOptions.flags, ofOptions.given) : message;
    const help = ofOptions && seeHelp;
    throw new CommandFailure(said, {
      code,
      next: next ?? help ?? describeRecovery(recovery),
      exitCode: misunderstood ? 2 : 1,
    });
  }
}

function namesOption({ code, details }: ThoughtboxError, flags: FieldFlags): boolean {
  const { hints } = (details ?? {}) as { hints?: { field?: string }[] };
  const fields = Object.values(flags).map(({ field }) => field);
  return code === "INVALID_PAYLOAD" && (hints ?? []).some(({ field }) => fields.includes(field ?? ""));
}

const lookEveryMs = 150;

/**
 * Writes pending changes to the JSON files. Returns how many changes are still pending, because another
 * process is writing them or they cannot be written.
 */
export async function flushFiles(terminal: Terminal, { tree }: Host): Promise<number> {
  if (!tree) return 0;
  const { pending: total } = await tree.status();
  if (total === 0) return 0;
  const bar = createProgressBar(terminal, "writing JSON files");
  const done = new AbortController();
  const ended = AbortSignal.any([done.signal, terminal.stop]);
  const watching = watch();
  try {
    await Promise.race([tree.flush(), watching]);
  } finally {
    done.abort();
    bar.end();
  }
  terminal.stop.throwIfAborted();
  return (await tree.status()).pending;

  async function watch(): Promise<void> {
    while (!ended.aborted) {
      await sleep(lookEveryMs, undefined, { signal: ended }).catch(() => {});
      if (ended.aborted || !tree) return;
      bar.update(total - (await tree.status()).pending, total);
    }
  }
}
