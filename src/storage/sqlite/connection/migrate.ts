import { storageFailure } from "../../../ports/storage-failures.ts";
import type { Database } from "./driver.ts";
import type { Migration } from "./migrations/migration.ts";
import { migrations } from "./migrations/migrations.ts";
import { refuseChangedSchema } from "./schema-check.ts";

/**
 * Migration n produces format 100 + n. Formats 1 to 17 are from development versions before the first
 * release. This program refuses such stores, and those versions refuse this program's stores as newer.
 */
const formatsStartAt = 100;

/** The format that this program writes. */
export const newestFormat = formatsStartAt + migrations.length;

export function formatOf(db: Database): number {
  return Number(db.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}

/** Returns how many migrations have been applied to the store. */
const migrationsSeen = (db: Database): number => Math.max(0, formatOf(db) - formatsStartAt);

export type Upgrade = {
  /** Called under the lock by the process that creates the store, before its first use. */
  onNewStore(): void;
  /** Called without the lock, before the first migration that changes stored data. */
  beforeRewrite(format: number): void;
};

/**
 * Runs all migrations or none, so that another process that starts at the same time never sees an intermediate format.
 * The other process may migrate first, so the format is read again under the write lock.
 */
export function migrate(db: Database, upgrade: Upgrade, list: readonly Migration[] = migrations): void {
  const found = migrationsSeen(db);
  if (found >= list.length) return;
  if (found > 0 && list.slice(found).some(({ rewrites }) => rewrites)) upgrade.beforeRewrite(formatOf(db));
  db.exec("BEGIN IMMEDIATE");
  try {
    const seen = migrationsSeen(db);
    if (seen === 0) upgrade.onNewStore();
    for (const migration of list.slice(seen)) migration.apply(db);
    if (seen < list.length) db.exec(`PRAGMA user_version = ${formatsStartAt + list.length}`);
    db.exec("COMMIT");
  } catch (thrown) {
    rollBack(db);
    throw thrown;
  }
}

function rollBack(db: Database): void {
  try {
    db.exec("ROLLBACK");
  } catch {
    // SQLite has already rolled back, for example after a full disk. The first error is the one to report.
  }
}

/**
 * Throws if the store is newer, unreleased or foreign. Call this before anything that could change the file.
 * Reads in one transaction, because another process may be creating the store.
 */
export function refuseForeign(db: Database): void {
  db.exec("BEGIN");
  try {
    const format = formatOf(db);
    if (format > newestFormat) throw storageFailure("store_newer", { format, newest: newestFormat });
    if (format > 0 && format <= formatsStartAt) throw storageFailure("store_unreleased", { format });
    refuseChangedSchema(db, migrations.slice(0, migrationsSeen(db)));
  } finally {
    rollBack(db);
  }
}

/** Throws if a read-only store has an older format, because reads could return wrong results. */
export function refuseOlder(db: Database): void {
  const format = formatOf(db);
  if (format < newestFormat) throw storageFailure("store_older", { format, newest: newestFormat });
}
