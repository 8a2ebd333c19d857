import type { Database } from "../driver.ts";

/** One step from a format of the store to the next. It runs inside a transaction, once. */
export type Migration = { apply(db: Database): void };
