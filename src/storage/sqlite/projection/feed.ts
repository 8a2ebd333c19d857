import type { Feed, FeedEntry, SessionChange } from "../../../ports/feed.ts";
import { decodeThought, thoughtColumns } from "../../rows/ledger-rows.ts";
import { inOneMoment, type WithConnection } from "../connection/access.ts";
import type { Row } from "../connection/driver.ts";
import type { Connection } from "../connection/open-database.ts";
import { currentSeq } from "../connection/sequence.ts";
import { countInStride } from "../ledger/thought-reads.ts";
import { selectChanges } from "../memory/changes.ts";

const pollMs = 75;

/** All writes share one counter, so the feed merges ordered tables. */
export function createFeed(read: WithConnection) {
  const listeners = new Set<() => void>();
  const ownListeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let seenVersion: unknown;

  /** A failing listener must not affect the commit. */
  const tell = (audience: ReadonlySet<() => void>) => {
    for (const listener of audience) {
      try {
        listener();
      } catch {
        // Listeners report their own errors.
      }
    }
  };

  /** Commits by other processes change `data_version`, which costs almost nothing to read. */
  async function poll(): Promise<void> {
    try {
      const version = await read(({ sql }) => sql("PRAGMA data_version").get()?.["data_version"]);
      if (version !== seenVersion) tell(listeners);
      seenVersion = version;
    } catch {
      // If the store cannot be read, it is polled again next time.
    }
  }

  const feed: Feed = {
    async readFeed(after, limit) {
      const page: FeedEntry[] = [];
      for (;;) {
        const reached = page.at(-1)?.seq ?? after;
        const { entries, isLast } = await read((connection) =>
          selectFeed(connection, reached, limit - page.length),
        );
        for (const entry of entries) page.push(entry);
        if (isLast || page.length >= limit) return page;
        await new Promise(setImmediate);
      }
    },
    lastSeq: () => read(currentSeq),
    onChange(listener) {
      listeners.add(listener);
      timer ??= setInterval(() => void poll(), pollMs).unref();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    onOwnChange(listener) {
      ownListeners.add(listener);
      return () => void ownListeners.delete(listener);
    },
  };
  return {
    feed,
    /** This process's own commits do not change its `data_version`. */
    noteOwnCommit(): void {
      tell(listeners);
      tell(ownListeners);
    },
    stop(): void {
      clearInterval(timer);
      listeners.clear();
      ownListeners.clear();
    },
  };
}

/**
 * Reads as much of a page as fits in one turn. All tables are read from one snapshot, because a commit between two
 * reads could otherwise be skipped for good.
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

const common = (row: Row) => ({
  seq: Number(row["seq"]),
  sessionId: String(row["id"]),
  project: String(row["project"]),
});

function toThoughtEntry(row: Row): FeedEntry {
  return { ...common(row), kind: "thought", entry: decodeThought(String(row["id"]), row) };
}

function toChangeEntry(row: Row): FeedEntry {
  return {
    ...common(row),
    kind: "session",
    change: String(row["kind"]) as SessionChange,
    at: String(row["at"]),
  };
}
