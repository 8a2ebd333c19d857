import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { RunLimit } from "../../ports/notebook/cell-runner.ts";
import { cellLimits } from "../limits.ts";

type Containment = {
  command: readonly string[];
  /** The working directory. Inside a sandbox, the process may see it under a different path. */
  directory: string;
  /** The environment of the process. Nothing else is inherited from our environment. */
  env?: Readonly<Record<string, string>>;
  input?: string;
  timeoutMs: number;
  reportBytes: number;
  signal: AbortSignal;
  /**
   * Receives what the process writes to descriptor 4, which is open only if this function is given.
   * `runContained` resolves only after all output is read.
   */
  onArchive?: (archive: Readable) => Promise<void>;
  /** Resolves with a reason to end the process early. */
  watch?: (signal: AbortSignal, pid: number | undefined) => Promise<RunLimit | undefined>;
};

export type Ended = {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  output: string;
  truncated: boolean;
  /** Standard error, which may show why the process failed. */
  complaints: string;
  /** What the process wrote to descriptor 3. */
  report: Buffer;
  stoppedBy: RunLimit | undefined;
  durationMs: number;
};

/** Runs a command in its own process group. Resolves when every process in the group has ended. */
export async function runContained(given: Containment): Promise<Ended> {
  const [program = "", ...args] = given.command;
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: given.directory,
    env: { ...given.env },
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe", given.onArchive ? "pipe" : "ignore"],
  });
  const output = createOutputCut(cellLimits.outputBytes);
  const complaints = createOutputCut(64 * 1024);
  const report = createOutputCut(given.reportBytes);
  child.stdout?.on("data", output.add);
  child.stderr?.on("data", complaints.add);
  (child.stdio[3] as Readable | null)?.on("data", report.add).on("error", () => {});
  const archived = given.onArchive?.(child.stdio[4] as Readable);
  // Awaited at the end, so an earlier rejection must be handled.
  archived?.catch(() => {});
  // A process may end before it has read all its input.
  child.stdin?.on("error", () => {}).end(given.input ?? "");

  let stoppedBy: RunLimit | undefined;
  let harder: NodeJS.Timeout | undefined;
  const stop = (reason: RunLimit) => {
    if (stoppedBy !== undefined) return;
    stoppedBy = reason;
    signalGroup(child, "SIGTERM");
    harder = setTimeout(() => signalGroup(child, "SIGKILL"), cellLimits.graceMs);
  };
  const cancel = () => stop("cancelled");
  const timer = setTimeout(() => stop("time"), given.timeoutMs);
  given.signal.addEventListener("abort", cancel, { once: true });
  if (given.signal.aborted) cancel();
  const ended = new AbortController();
  void given.watch?.(ended.signal, child.pid).then((reason) => {
    if (reason !== undefined) stop(reason);
  });

  try {
    const { exitCode, signal } = await exitOf(child);
    await archived;
    return {
      exitCode,
      signal,
      output: output.text(),
      truncated: output.truncated(),
      complaints: complaints.text(),
      report: report.bytes(),
      stoppedBy,
      durationMs: Math.round(performance.now() - startedAt),
    };
  } finally {
    ended.abort();
    clearTimeout(timer);
    clearTimeout(harder);
    given.signal.removeEventListener("abort", cancel);
  }
}

/**
 * Kills the rest of the process group when the process exits. Processes that left the group may keep pipes open, so the
 * pipes are not awaited.
 */
function exitOf(child: ChildProcess): Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    let impatience: NodeJS.Timeout | undefined;
    child.once("error", reject);
    child.once("exit", () => {
      signalGroup(child, "SIGKILL");
      impatience = setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy();
      }, cellLimits.graceMs);
    });
    child.once("close", (exitCode, signal) => {
      clearTimeout(impatience);
      resolve({ exitCode, signal });
    });
  });
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process group has already ended.
  }
}

/** Keeps the beginning of a stream, and counts the discarded rest. */
function createOutputCut(limit: number) {
  const kept: Buffer[] = [];
  let size = 0;
  let total = 0;
  return {
    add(chunk: Buffer): void {
      total += chunk.length;
      if (size >= limit) return;
      const part = chunk.subarray(0, limit - size);
      kept.push(part);
      size += part.length;
    },
    truncated: (): boolean => total > size,
    bytes: (): Buffer => Buffer.concat(kept),
    text(): string {
      const whole = Buffer.concat(kept);
      const text = new TextDecoder().decode(whole.subarray(0, wholeCharacters(whole)));
      return total > size ? `${text}\n… ${total - size} of ${total} bytes are not shown …\n` : text;
    },
  };
}

/** Returns the length without a partial character at the end. */
function wholeCharacters(bytes: Buffer): number {
  let start = bytes.length - 1;
  const earliest = Math.max(0, bytes.length - 4);
  while (start >= earliest && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  if (start < earliest) return bytes.length;
  const lead = bytes[start] ?? 0;
  const needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - start < needed ? start : bytes.length;
}
