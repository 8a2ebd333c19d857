import { createWhenQuiet } from "../../../kernel/when-quiet.ts";
import type { Connection } from "./open-database.ts";

/** The log is written back after so many commits, once nobody has written for a moment. */
const enoughCommits = 64;
const pause = { quietMs: 25, patienceMs: Number.POSITIVE_INFINITY };

/**
 * Writes the log back between the calls rather than inside one of them. Where nobody ever pauses, SQLite does it at the
 * commit that makes the log longer than 1,000 pages, whichever process wrote them.
 */
export function createCheckpoints(connect: () => Connection) {
  let commits = 0;
  const waiting = createWhenQuiet(writeBack, pause);

  function writeBack(): void {
    commits = 0;
    try {
      // Passive: nobody is waited for, and no reader or writer waits.
      connect().db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // Closed meanwhile, or no room: the log stays as it is, and holds what it held.
    }
  }

  return {
    /** Called after each commit. */
    later(): void {
      commits += 1;
      if (commits >= enoughCommits) waiting.later();
    },
    stop: waiting.cancel,
  };
}
