import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { binary, cleanEnv } from "./server-process.ts";

export type HttpProcess = {
  url: URL;
  child: ChildProcess;
  stderr(): string;
  /** Resolves with the exit code, or with the signal that ended it. */
  exited: Promise<number | NodeJS.Signals>;
};

/** Starts the built binary as an HTTP server on a free loopback port. Resolves when the server is ready. */
export async function spawnHttpServer(
  dataDir: string,
  env: Record<string, string> = {},
  nodeOptions: string[] = [],
): Promise<HttpProcess> {
  const server = startServe(dataDir, { HOST: "127.0.0.1", PORT: "0", ...env }, nodeOptions);
  const url = await Promise.race([server.said(/serves MCP at (\S+)/), server.exited.then(String)]);
  if (!URL.canParse(url)) throw new Error(`the server ended (${url}): ${server.stderr()}`);
  return { ...server, url: new URL(url) };
}

/** Tests of the Observatory enable it on their own port. */
const quiet = { DISABLE_THOUGHT_LOGGING: "true", THOUGHTBOX_OBSERVATORY_ENABLED: "false" };

/** Starts `thoughtbox serve`, which may fail. */
export function startServe(dataDir: string, env: Record<string, string>, nodeOptions: string[] = []) {
  const child = spawn(process.execPath, [...nodeOptions, binary, "serve"], {
    env: { ...cleanEnv(), ...quiet, THOUGHTBOX_DATA_DIR: dataDir, ...env },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  // Waits for "close" instead of "exit", because all output has been read only then.
  const exited = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);

  return {
    child,
    exited,
    stderr: () => stderr,
    /** Waits for a line on stderr and resolves with the pattern's first group. */
    said: (pattern: RegExp) =>
      new Promise<string>((resolve) => {
        const look = () => {
          const found = pattern.exec(stderr);
          if (found) resolve(found[1] ?? found[0]);
        };
        child.stderr?.on("data", look);
        look();
      }),
  };
}
