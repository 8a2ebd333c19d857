import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/** Names this run of the machine. Where the system has no name for it, the minute in which it began must do. */
export function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return `booted-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
}
