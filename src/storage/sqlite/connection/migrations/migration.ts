import type { Database } from "../driver.ts";

/** One step from a format of the store to the next. It runs inside a transaction, once. */
export type Migration = {
  /** Changes, moves or drops what is stored: the store is copied first, so that people can go back. */
  rewrites?: true;
  /** The digest of the schema after it. A store whose schema has another one is looked at closely, or refused. */
  leaves?: string;
  apply(db: Database): void;
};
