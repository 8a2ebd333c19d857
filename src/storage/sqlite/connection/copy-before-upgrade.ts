import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { type Database, loadDriver } from "./driver.ts";

/**
 * Keeps what the store was before its rows are rewritten, once, as `thoughtbox.db.v<format>.bak`. Several processes may
 * start at once: each makes a copy under a name of its own, and one that another process has upgraded meanwhile is not
 * what it says and goes again.
 */
export function copyBeforeUpgrade(
  db: Database,
  file: string,
  version: number,
  log: (line: string) => void,
): void {
  const kept = `${file}.v${version}.bak`;
  if (statSync(kept, { throwIfNoEntry: false })) return;
  const unfinished = `${kept}.${process.pid}`;
  try {
    rmSync(unfinished, { force: true });
    db.prepare("VACUUM INTO ?").run(unfinished);
    if (versionOf(unfinished) !== version) return;
    chmodSync(unfinished, 0o600);
    sync(unfinished);
    renameSync(unfinished, kept);
    sync(dirname(kept));
  } finally {
    rmSync(unfinished, { force: true });
  }
  log(`thoughtbox: the store is brought to a new format; what it was is kept as ${kept}\n`);
}

function versionOf(path: string): number {
  const { DatabaseSync } = loadDriver();
  const copy = new DatabaseSync(`${pathToFileURL(path)}?immutable=1`, { readOnly: true });
  try {
    return Number(copy.prepare("PRAGMA user_version").get()?.["user_version"]);
  } finally {
    copy.close();
  }
}

function sync(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
