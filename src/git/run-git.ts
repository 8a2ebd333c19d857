import { spawn } from "node:child_process";

/** Git could not be started, ended with an error, took too long or printed too much. */
export type GitFailure = { failed: "missing" | "timeout" | "too_long" | "status"; message: string };
export type GitOutput = Buffer | GitFailure;

export const isFailure = (output: GitOutput): output is GitFailure => !Buffer.isBuffer(output);

/**
 * A repository is untrusted, and its configuration must not run anything. For the commands that Thoughtbox
 * uses, these settings override every setting that can name a program to run.
 */
const settings = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.pager", "cat"],
  ["core.alternateRefsCommand", "true"],
  ["core.sshCommand", "false"],
  ["credential.helper", ""],
  ["diff.external", ""],
  ["gpg.program", "false"],
  ["log.showSignature", "false"],
  ["log.mailmap", "false"],
  ["diff.submodule", "short"],
  ["diff.ignoreSubmodules", "all"],
  ["blame.ignoreRevsFile", ""],
  ["safe.bareRepository", "explicit"],
  ["protocol.allow", "never"],
] as const;

const common = [
  "--no-pager",
  "--no-replace-objects",
  "--literal-pathspecs",
  ...settings.flatMap(([name, value]) => ["-c", `${name}=${value}`]),
];

/** Prevents prompts, locks and network access, whatever the environment contains. */
const ownVariables = {
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_PAGER: "cat",
} as const;

export type GitOptions = {
  /** The only variables that git inherits. This list must not contain GIT_* variables. */
  environment: Readonly<Record<string, string>>;
  timeoutMs: number;
  maxBytes: number;
};

/** Rejects only if the signal aborts. The error is then the signal's reason. */
export type Git = (
  directory: string,
  words: readonly string[],
  input?: string,
  signal?: AbortSignal,
) => Promise<GitOutput>;

/** Runs git as a program, never through a shell. */
export function createGit({ environment, timeoutMs, maxBytes }: GitOptions): Git {
  const env = { ...environment, ...ownVariables };
  return (directory, words, input, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const child = spawn("git", ["-C", directory, ...common, ...words], {
        env,
        windowsHide: true,
        stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      });
      const pieces: Buffer[] = [];
      let [bytes, errors] = [0, ""];
      let failure: GitFailure | undefined;
      const stop = (failed: GitFailure["failed"], message: string) => {
        failure ??= { failed, message };
        child.kill("SIGKILL");
      };
      const abort = () => child.kill("SIGKILL");
      signal?.addEventListener("abort", abort, { once: true });
      const timer = setTimeout(
        () => stop("timeout", `git ${words[0]} took longer than ${timeoutMs} ms`),
        timeoutMs,
      );
      child.stdout?.on("data", (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > maxBytes) stop("too_long", `git ${words[0]} printed more than ${maxBytes} bytes`);
        else pieces.push(piece);
      });
      child.stderr?.on("data", (piece: Buffer) => {
        if (errors.length < 2_000) errors += piece.toString("utf8");
      });
      child.on("error", ({ message }) => {
        failure ??= { failed: "missing", message };
      });
      child.on("close", (status) => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        if (signal?.aborted) reject(signal.reason);
        else if (failure) resolve(failure);
        else if (status === 0) resolve(Buffer.concat(pieces));
        else resolve({ failed: "status", message: errors.slice(0, 2_000) });
      });
      // Git may exit before it has read everything. Its status shows why.
      child.stdin?.on("error", () => {});
      child.stdin?.end(input);
    });
}
