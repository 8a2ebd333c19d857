import { closeSync, openSync, readSync, statSync } from "node:fs";

export type KnownFile = "dump" | "backup" | "export";

const beginningBytes = 64 * 1024;

const beginnings: Record<KnownFile, RegExp> = {
  dump: /^\{"format":"thoughtbox-dump-/,
  backup: /^SQLite format 3\0/,
  export: /^\s*\{\s*"version"\s*:\s*"1\.0"\s*,\s*"session"/,
};

/** The kind of Thoughtbox file, by its first bytes. `undefined` for anything else. */
export function recogniseFile(beginning: Buffer): KnownFile | undefined {
  const text = beginning.toString("utf8", 0, 200);
  return (["dump", "backup", "export"] as const).find((kind) => beginnings[kind].test(text));
}

/** Returns an empty buffer if the path cannot be read or is not a file. The caller reports why. */
export function readBeginning(path: string): Buffer {
  const beginning = Buffer.alloc(beginningBytes);
  try {
    // Opening a pipe would wait for its writer.
    if (!statSync(path).isFile()) return Buffer.alloc(0);
    const file = openSync(path, "r");
    try {
      return beginning.subarray(0, readSync(file, beginning));
    } finally {
      closeSync(file);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

export const useBackup =
  "Save it as thoughtbox.db in an empty directory and set THOUGHTBOX_DATA_DIR to that directory. To combine both stores, run thoughtbox dump there and thoughtbox restore here.";
