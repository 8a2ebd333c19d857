import { createWhenQuiet } from "../../../kernel/when-quiet.ts";
import type { Connection } from "./open-database.ts";

/** What a commit puts into the log, estimated: some pages, and one more for every few writes that share it. */
const pagesOfCommit = 4;
const writesOnPage = 4;
/** So long a log is written back once nobody has written for a moment, … */
const enoughPages = 256;
const pause = { quietMs: 25, patienceMs: Number.POSITIVE_INFINITY };
/** … and so long a one without a pause, right behind an acknowledgement: at 1,000 pages SQLite does it inside a commit. */
const mostPages = 800;

/** Writes the log back between the calls rather than inside one of them. */
export function createCheckpoints(connect: () => Connection) {
  let pages = 0;
  let due: NodeJS.Immediate | undefined;
  const waiting = createWhenQuiet(writeBack, pause);

  function writeBack(): void {
    pages = 0;
    due = undefined;
    waiting.cancel();
    try {
      // Passive: nobody is waited for, and no reader or writer waits.
      connect().db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // Closed meanwhile, or no room: the log stays as it is, and holds what it held.
    }
  }

  return {
    /** Called after each commit, with the number of writes in it. */
    later(writes: number): void {
      pages += pagesOfCommit + writes / writesOnPage;
      if (pages >= mostPages) due ??= setImmediate(writeBack);
      else if (pages >= enoughPages) waiting.later();
    },
    stop(): void {
      clearImmediate(due);
      waiting.cancel();
    },
  };
}
