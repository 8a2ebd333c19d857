import { createRequire } from "node:module";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Database } from "../../../src/storage/sqlite/connection/driver.ts";

export const driverPath = createRequire(import.meta.url).resolve("@photostructure/sqlite");

/** Opens the store's file without Thoughtbox, to lock, age or damage it. */
export function openRaw(dataDir: string): Database {
  const { DatabaseSync } = createRequire(import.meta.url)(driverPath);
  const db: Database = new DatabaseSync(join(dataDir, "thoughtbox.db"), { timeout: 5_000 });
  onTestFinished(() => {
    try {
      db.close();
    } catch {
      // The test closed the database itself.
    }
  });
  return db;
}
