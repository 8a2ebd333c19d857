import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";

/**
 * Runs `thoughtbox capture --once` as its own process with low priority, because reading and hashing gigabytes would
 * delay calls.
 */
export function createCatchUp(program: readonly string[], env: NodeJS.ProcessEnv) {
  return (signal: AbortSignal): Promise<void> =>
    new Promise((done) => {
      const [command = process.execPath, ...words] = program;
      const child = spawn(command, [...words, "capture", "--once"], {
        stdio: "ignore",
        windowsHide: true,
        env,
      });
      const stop = () => child.kill("SIGTERM");
      const end = () => {
        signal.removeEventListener("abort", stop);
        done();
      };
      signal.addEventListener("abort", stop, { once: true });
      child.once("error", end);
      child.once("exit", end);
      if (child.pid !== undefined) lower(child.pid);
    });
}

function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has already ended, or the system has no priorities.
  }
}
