import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { tempDir } from "../temp-dir.ts";
import { compileC } from "./compile-c.ts";

/** What the disk does at the chosen call. `torn` and `short` write half, then crash or report a full disk. */
export type DiskFault = "crash" | "torn" | "EIO" | "ENOSPC" | "short";

/** A call that changed the disk, or output that the server `said`. Paths are relative to the data directory. */
export type DiskCall = { call: string; path: string; number: number; data: Buffer };

export const compileShim = (): string => compileC(join(import.meta.dirname, "disk-shim.c"), "library");

/** Creates a disk that records everything a server does to it, and fails at a chosen call. */
export function createDiskShim(library: string, dataDir: string) {
  const folder = tempDir();
  const [journal, order, bootId] = ["journal", "order", "boot-id"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const root = join(realpathSync(dirname(dataDir)), dataDir.slice(dirname(dataDir).length + 1));
  writeFileSync(bootId, "another-run-of-the-machine\n");
  const env = { LD_PRELOAD: library, DISK_ROOT: root, DISK_JOURNAL: journal, UV_USE_IO_URING: "0" };
  return {
    env: { ...env, DISK_ARM: order },
    /** Like `env`, but makes the machine appear to any later process to have rebooted. */
    envBeforeReboot: { ...env, DISK_BOOT_ID: bootId },
    /** Counts from the next call on. If `end` is given, counts only calls to paths with this ending. */
    arm(at: number, fault: DiskFault, end = ""): void {
      writeFileSync(order, `${at} ${fault} ${end}`);
    },
    calls: (): DiskCall[] => parseJournal(readFileSync(journal), root),
    /** Returns the calls since `arm` took effect, without output. */
    armedCalls(): DiskCall[] {
      const calls = this.calls();
      const from = calls.findIndex(({ call }) => call === "armed");
      return from < 0 ? [] : calls.slice(from + 1).filter(({ call }) => call !== "said");
    },
    struck(): DiskCall | undefined {
      return this.calls().find(({ call }) => call === "struck");
    },
  };
}

function parseJournal(bytes: Buffer, root: string): DiskCall[] {
  const calls: DiskCall[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf("\n", at);
    const [call = "", path = "", number, length] = bytes.toString("utf8", at, end).split("\t");
    const after = end + 1 + Number(length);
    const data = bytes.subarray(end + 1, after);
    calls.push({ call, path: path === "" ? "" : relative(root, path), number: Number(number), data });
    at = after;
  }
  return calls;
}
