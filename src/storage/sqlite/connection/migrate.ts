import { storageFailure } from "../../../ports/storage-failures.ts";
import type { Database } from "./driver.ts";
import type { Migration } from "./migrations/migration.ts";
import { migrations } from "./migrations/migrations.ts";

/** The format that this program writes. */
export const newestSchema = migrations.length;

function schemaVersion(db: Database): number {
  return Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}

export type Upgrade = {
  /** Called under the lock by the one process that makes the store, before anybody can have used it. */
  onNewStore(): void;
  /** Called before the first migration that changes what is stored, without the lock. */
  beforeRewrite(version: number): void;
};

/**
 * All or nothing, so that another process that starts at the same moment sees no format in between. It may have been
 * first: the version is read again under the write lock.
 */
export function migrate(db: Database, upgrade: Upgrade, list: readonly Migration[] = migrations): void {
  const found = schemaVersion(db);
  if (found >= list.length) return;
  if (found > 0 && list.slice(found).some(({ rewrites }) => rewrites)) upgrade.beforeRewrite(found);
  db.exec("BEGIN IMMEDIATE");
  try {
    const version = schemaVersion(db);
    if (version === 0) upgrade.onNewStore();
    for (const migration of list.slice(version)) migration.apply(db);
    if (version < list.length) db.exec(`PRAGMA user_version = ${list.length}`);
    db.exec("COMMIT");
  } catch (thrown) {
    try {
      db.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself, after a full disk for example; that is what must be told.
    }
    throw thrown;
  }
}

/** Call before anything that could change the file. */
export function refuseNewer(db: Database): void {
  const format = schemaVersion(db);
  if (format > newestSchema) throw storageFailure("store_newer", { format, newest: newestSchema });
}

/** Where nothing can be written, an older store cannot be brought up to date, and must not be guessed at. */
export function refuseOlder(db: Database): void {
  const format = schemaVersion(db);
  if (format < newestSchema) throw storageFailure("store_older", { format, newest: newestSchema });
}
