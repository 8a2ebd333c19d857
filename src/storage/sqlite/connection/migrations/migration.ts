import type { Database } from "../driver.ts";

/** One step from a store format to the next. A migration runs once, inside a transaction. */
export type Migration = {
  /** Set if the migration changes, moves or drops stored data. The store is then copied first. */
  rewrites?: true;
  /**
   * The digest of the schema after this migration. If a store's schema has a different digest, it is compared in detail
   * and may be refused.
   */
  leaves?: string;
  apply(db: Database): void;
};
