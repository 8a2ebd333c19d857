import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { makeDurable } from "../../../disk/naming.ts";
import { codeOf } from "../../../disk/open-without-following.ts";
import { storageFailure } from "../../../ports/storage-failures.ts";
import type { BackupReport } from "../../../ports/upkeep.ts";
import { loadDriver } from "../connection/driver.ts";
import { runLongStatements } from "../connection/long-statements.ts";
import type { Connection } from "../connection/open-database.ts";
import { forgetProjection } from "../projection/projection-book.ts";
import { countRows, findFileProblems, type RowCounts } from "./inspect.ts";

/**
 * Writes a backup with `VACUUM INTO`, which reads one snapshot, so writers in other processes neither wait
 * nor affect it. The backup API would start over with each of their commits.
 */
export async function writeBackup(
  connection: Connection,
  path: string,
  signal?: AbortSignal,
): Promise<BackupReport> {
  const before = countRows(connection.db);
  reserve(path);
  try {
    await runLongStatements(connection, [{ sql: "VACUUM INTO ?", parameters: [path] }], signal);
    forgetFiles(path);
    await makeDurable(path);
    const { sessions, thoughts } = await proveWhole(path, before, signal);
    return { path, bytes: statSync(path).size, sessions, thoughts };
  } catch (thrown) {
    for (const left of [path, `${path}-journal`]) rmSync(left, { force: true });
    throw thrown;
  }
}

/** Creates an empty file, which SQLite accepts as its target, so that no other file can appear there. */
function reserve(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (cause) {
    const errno = codeOf(cause);
    throw errno === "EEXIST"
      ? storageFailure("file_exists", { path }, cause)
      : storageFailure("backup_unwritable", { errno }, cause);
  }
}

/** Resets the copy's projection marks, because no JSON files have been written from it yet. */
function forgetFiles(path: string): void {
  const { DatabaseSync } = loadDriver();
  const copy = new DatabaseSync(path, { readOnly: false });
  try {
    forgetProjection((sql) => copy.exec(sql));
  } finally {
    copy.close();
  }
}

async function proveWhole(
  path: string,
  before: RowCounts,
  signal: AbortSignal | undefined,
): Promise<RowCounts> {
  const { DatabaseSync } = loadDriver();
  const location = `${pathToFileURL(path)}?immutable=1`;
  const copy = new DatabaseSync(location, { readOnly: true });
  try {
    const [problem] = await findFileProblems({ db: copy, location }, signal);
    const counts = countRows(copy);
    const lacking = counts.seq < before.seq || counts.thoughts < before.thoughts;
    if (problem === undefined && !lacking) return counts;
    throw storageFailure("backup_not_whole", { problem });
  } finally {
    copy.close();
  }
}
