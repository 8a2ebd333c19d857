import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

export type Command = { args: string[]; env?: Record<string, string> };

const alive = new Set<ChildProcess>();
const politeMs = 3_000;

// However the benchmark ends, no child process outlives it.
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

/** Starts a Node.js program with no Thoughtbox settings in its environment. */
export function startChild({ args, env = {} }: Command, stdio: SpawnOptions["stdio"]) {
  const child = spawn(process.execPath, args, {
    env: { ...cleanEnv(), ...env },
    ...(stdio && { stdio }),
  });
  alive.add(child);
  const exited = once(child, "exit").then(() => void alive.delete(child));
  return {
    child,
    exited,
    /** Asks the program to exit, and kills it after a short time. */
    async stop(): Promise<void> {
      if (child.stdin) child.stdin.end();
      else child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), politeMs);
      await exited;
      clearTimeout(timer);
    },
  };
}

export function cleanEnv(): Record<string, string> {
  const own = /^(THOUGHTBOX_|NODE_OPTIONS$|PORT$|HOST$|DISABLE_THOUGHT_LOGGING$)/;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) =>
      value === undefined || own.test(key) ? [] : [[key, value]],
    ),
  );
}
