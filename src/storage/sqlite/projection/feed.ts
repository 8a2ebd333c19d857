import type { FeedEntry } from "../../../ports/feed.ts";
import {
  createPolledFeed,
  toAppendedEntry,
  toChangeEntry,
  toMemoryEntry,
  toThoughtEntry,
} from "../../rows/feed-rows.ts";
import { thoughtColumns } from "../../rows/ledger-rows.ts";
import { inOneMoment, type WithConnection } from "../connection/access.ts";
import type { Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { currentSeq } from "../connection/sequence.ts";
import { countInStride } from "../ledger/thought-reads.ts";

const pollMs = 75;

/** Merges several tables into one feed by `seq`, the counter that all writes share. */
export function createFeed(read: WithConnection) {
  let seenVersion: unknown;

  /** Calls `tell` if another process's commit has changed `data_version`, which is cheap to read. */
  async function poll(tell: () => void): Promise<void> {
    try {
      const version = await read(({ sql }) => sql("PRAGMA data_version").get()?.["data_version"]);
      if (version !== seenVersion) tell();
      seenVersion = version;
    } catch {
      // If the store cannot be read, the next poll tries again.
    }
  }

  return createPolledFeed({
    lastSeq: () => read(currentSeq),
    readPart: (after, limit) => read((connection) => selectFeed(connection, after, limit)),
    startPolling(tell) {
      const timer = setInterval(() => void poll(tell), pollMs).unref();
      return () => clearInterval(timer);
    },
  });
}

/**
 * Reads as much of a page as fits in one turn. All tables are read from one snapshot. If the tables were read
 * separately, a commit between two reads could be skipped permanently.
 */
function selectFeed(
  connection: Connection,
  after: number,
  limit: number,
): { entries: FeedEntry[]; isLast: boolean } {
  return inOneMoment(connection, () => {
    const count = countInStride(connection, "seq > ? ORDER BY seq", [after], limit);
    const entries = mergeFeed(connection, after, count);
    return { entries, isLast: entries.length < count };
  });
}

function mergeFeed(connection: Connection, after: number, limit: number): FeedEntry[] {
  const { sql } = connection;
  const thoughts =
    sql(`SELECT ${thoughtColumns}, s.id, s.project FROM thoughts t JOIN sessions s ON s.sid = t.sid
    WHERE t.seq > ? ORDER BY t.seq LIMIT ?`).all(after, limit);
  const changes =
    sql(`SELECT c.seq, c.kind, c.at, s.id, s.project FROM session_changes c JOIN sessions s ON s.sid = c.sid
    WHERE c.seq > ? ORDER BY c.seq LIMIT ?`).all(after, limit);
  // If one of the lists is full, the page ends where that list ends.
  const upTo = Math.min(lastOfFull(thoughts, limit), lastOfFull(changes, limit));
  const memory = selectChanges(connection, after, upTo, limit);
  return [...thoughts.map(toThoughtEntry), ...changes.map(toChangeEntry), ...memory]
    .sort((a, b) => a.seq - b.seq)
    .slice(0, limit);
}

const lastOfFull = (rows: readonly Row[], limit: number): number =>
  Number((rows.length < limit ? undefined : rows.at(-1)?.["seq"]) ?? Number.MAX_SAFE_INTEGER);

/** Returns the changes with a seq above `after` and up to `upTo`, in order. */
function selectChanges({ sql }: Connection, after: number, upTo: number, limit: number): FeedEntry[] {
  const others = sql(`SELECT c.seq, c.type, c.data, c.ts_ms, w.name FROM workspace_changes c
    JOIN memory_workspaces w ON w.wid = c.wid WHERE c.seq > ? AND c.seq <= ? ORDER BY c.seq LIMIT ?`)
    .all(after, upTo, limit)
    .map(toMemoryEntry);
  const last = others.length < limit ? upTo : (others.at(-1)?.seq ?? upTo);
  const appended =
    sql(`SELECT e.seq, e.kind, e.appended_on, e.ts_ms, d.name AS doc, w.name FROM memory_entries e
    CROSS JOIN memory_docs d ON d.doc = e.doc CROSS JOIN memory_workspaces w ON w.wid = d.wid
    WHERE e.seq > ? AND e.seq <= ? AND e.appended_on IS NOT NULL ORDER BY e.seq LIMIT ?`)
      .all(after, last, limit)
      .map(toAppendedEntry);
  return [...others, ...appended].sort((one, other) => one.seq - other.seq).slice(0, limit);
}
