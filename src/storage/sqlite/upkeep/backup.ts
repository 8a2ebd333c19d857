import { closeSync, fsyncSync, openSync, statSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { codeOf } from "../../../disk/open-without-following.ts";
import { storageFailure } from "../../../ports/storage-failures.ts";
import type { BackupReport } from "../../../ports/upkeep.ts";
import { loadDriver } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { countRows, findFileProblems, type RowCounts } from "./inspect.ts";

/**
 * `VACUUM INTO` reads one snapshot, so writers of other processes neither wait nor disturb it. The backup API
 * would begin again with every commit of theirs.
 */
export function writeBackup(connection: Connection, path: string): BackupReport {
  const before = countRows(connection.db);
  reserve(path);
  try {
    connection.sql("VACUUM INTO ?").run(path);
    makeDurable(path);
    const { sessions, thoughts } = proveWhole(path, before);
    return { path, bytes: statSync(path).size, sessions, thoughts };
  } catch (thrown) {
    unlinkSync(path);
    throw thrown;
  }
}

/** SQLite takes an empty file as its target, so nobody can put another one there in between. */
function reserve(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (cause) {
    const errno = codeOf(cause);
    throw errno === "EEXIST"
      ? storageFailure("file_exists", {}, cause)
      : storageFailure("backup_unwritable", { errno }, cause);
  }
}

function makeDurable(path: string): void {
  for (const target of [path, dirname(path)]) {
    const file = openSync(target, "r");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }
}

function proveWhole(path: string, before: RowCounts): RowCounts {
  const { DatabaseSync } = loadDriver();
  const copy = new DatabaseSync(`${pathToFileURL(path)}?immutable=1`, { readOnly: true });
  try {
    const [problem] = findFileProblems(copy);
    const counts = countRows(copy);
    const lacking = counts.seq < before.seq || counts.thoughts < before.thoughts;
    if (problem === undefined && !lacking) return counts;
    throw storageFailure("backup_not_whole", { problem });
  } finally {
    copy.close();
  }
}
