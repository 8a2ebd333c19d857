import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../temp-dir.ts";

/** Why opened files cannot be traced here, or `undefined`. */
export const noFileTrace: string | undefined = lookForStrace();

function lookForStrace(): string | undefined {
  if (process.platform !== "linux") return "opened files are traced by strace, on Linux only";
  try {
    execFileSync("strace", ["-o", "/dev/null", "-e", "trace=openat", "true"], { stdio: "pipe" });
    return undefined;
  } catch {
    return "there is no strace, or it may not trace here";
  }
}

/**
 * Runs a command under strace. `opened` returns the real path of every file and directory that the command
 * has opened so far.
 */
export function traceOpens() {
  const log = join(tempDir(), "opened");
  return {
    wrap: (command: string[]): string[] => [
      ...["strace", "-f", "-y", "-qq", "-s", "4096", "-e", "trace=open,openat,openat2", "-o", log],
      ...command,
    ],
    // `= 21</some/path>` is the kernel's name for the opened file, whatever path led there.
    opened: (): string[] =>
      readFileSync(log, "utf8")
        .split("\n")
        .flatMap((line) => /= \d+<(.*)>$/.exec(line)?.[1] ?? []),
  };
}
