import type { Database, Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { readSequence, type Sequence } from "../connection/sequence.ts";
import { sessionColumns } from "./rows.ts";

/** Sessions that are kept; the one that was read first goes first. */
const maxKept = 200;

export type KnownSessions = ReturnType<typeof createKnownSessions>;

/**
 * Rows of sessions, and the last number given out, kept while nobody else has written: SQLite tells by `data_version`, as
 * it does for its own pages. Our own writes do not change that number, so whoever writes says here what it changed.
 */
export function createKnownSessions() {
  const rows = new Map<string, Row>();
  let sequence: Sequence | undefined;
  let version: unknown;
  let source: Database | undefined;

  function forgetWhatOthersChanged({ sql, db }: Connection): void {
    const now = sql("PRAGMA data_version").get()?.["data_version"];
    if (now === version && db === source) return;
    forgetAll();
    [version, source] = [now, db];
  }

  function forgetAll(): void {
    rows.clear();
    sequence = undefined;
  }

  return {
    /** As it is now; inside a write as that write finds it. Not of a session in the trash. */
    find(connection: Connection, sessionId: string): Readonly<Row> | undefined {
      forgetWhatOthersChanged(connection);
      const known = rows.get(sessionId);
      if (known) return known;
      const row = connection
        .sql(`SELECT ${sessionColumns}, s.highest, s.chain_length, s.chain_head FROM sessions s
          WHERE s.id = ? AND s.deleted_at IS NULL`)
        .get(sessionId);
      if (!row) return undefined;
      const [oldest] = rows.keys();
      if (rows.size >= maxKept && oldest !== undefined) rows.delete(oldest);
      rows.set(sessionId, row);
      return row;
    },
    /** Call inside the write that has changed these columns. */
    change(sessionId: string, columnsOf: (row: Readonly<Row>) => Row): void {
      const known = rows.get(sessionId);
      if (known) rows.set(sessionId, { ...known, ...columnsOf(known) });
    },
    forget: (sessionId: string): void => void rows.delete(sessionId),
    /** Call inside a write, after `find`, which has looked whether it still holds. */
    sequence: (connection: Connection): Sequence => (sequence ??= readSequence(connection)),
    /** Call inside the write that has given out the numbers up to `last`. */
    reach(last: number): void {
      if (sequence) sequence = { ...sequence, last };
    },
    /** Before and after a write of anything else, and after one that was taken back. */
    forgetAll,
  };
}
