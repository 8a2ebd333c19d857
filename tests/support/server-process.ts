import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { speakLines } from "./pipes/speak-lines.ts";

export const binary = join(import.meta.dirname, "..", "..", "dist", "thoughtbox.js");

/** Not in a repository, so that no project is derived from one. */
export const nowhere = tmpdir();

/** Starts the built binary on stdio with raw JSON-RPC lines, for input that no well-behaved client would send. */
export function spawnServer(
  dataDir: string,
  env: Record<string, string> = {},
  wrap: (command: string[]) => string[] = (c) => c,
  cwd = nowhere,
) {
  const [command = process.execPath, ...args] = wrap([process.execPath, binary, "stdio"]);
  const child: ChildProcessWithoutNullStreams = spawn(command, args, {
    cwd,
    env: { ...cleanEnv(), DISABLE_THOUGHT_LOGGING: "true", THOUGHTBOX_DATA_DIR: dataDir, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.on("error", () => {});
  const exited = once(child, "exit");
  const spoken = speakLines(child.stdin, child.stdout, exited, () => stderr.slice(-500));
  return { child, exited, stderr: () => stderr, ...spoken };
}

export type ServerProcess = ReturnType<typeof spawnServer>;

/** Returns the environment without any Thoughtbox settings. */
export function cleanEnv(): Record<string, string> {
  const own = /^(THOUGHTBOX_|PORT$|HOST$|DISABLE_THOUGHT_LOGGING$)/;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) =>
      value === undefined || own.test(key) ? [] : [[key, value]],
    ),
  );
}
