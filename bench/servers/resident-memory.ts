import { execFileSync } from "node:child_process";

/** In megabytes, as the operating system counts it. */
export function residentMemory(pid: number): number {
  const kilobytes = Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
  return kilobytes / 1_024;
}
