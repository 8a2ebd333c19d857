import { execFileSync } from "node:child_process";

/** Returns the resident memory in megabytes, as reported by the operating system. */
export function residentMemory(pid: number): number {
  const kilobytes = Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
  return kilobytes / 1_024;
}
