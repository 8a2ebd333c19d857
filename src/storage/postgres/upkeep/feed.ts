import type { FeedEntry } from "../../../ports/feed.ts";
import {
  createPolledFeed,
  toAppendedEntry,
  toChangeEntry,
  toMemoryEntry,
  toThoughtEntry,
} from "../../rows/feed-rows.ts";
import { thoughtColumns } from "../../rows/ledger-rows.ts";
import type { Row } from "../../rows/row.ts";
import type { Connection, WithConnection } from "../connection/access.ts";
import { currentSeq } from "../connection/sequence.ts";
import { inStride } from "../ledger/thought-reads.ts";

const pollMs = 100;

/**
 * Merges several tables into one feed by `seq`, the counter that all writes share. While there are listeners,
 * the counter is polled. A hint from another server only triggers an earlier poll.
 */
export function createFeed(read: WithConnection, hints: { listen(onHint: () => void): () => void }) {
  let seen: number | undefined;
  let isReading = false;

  async function poll(tell: () => void): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      const last = await read(currentSeq);
      if (last !== seen) tell();
      seen = last;
    } catch {
      // If the store cannot be read, the next poll tries again.
    } finally {
      isReading = false;
    }
  }

  const polled = createPolledFeed({
    lastSeq: () => read(currentSeq),
    readPart: (after, limit) => read((connection) => selectFeed(connection, after, limit)),
    startPolling(tell) {
      const timer = setInterval(() => void poll(tell), pollMs).unref();
      const stopListening = hints.listen(() => void poll(tell));
      return () => {
        clearInterval(timer);
        stopListening();
      };
    },
  });
  return {
    ...polled,
    /** Returns the last number that listeners received. `undefined` without listeners. */
    seen: () => (polled.isPolling() ? seen : undefined),
  };
}

/** Reads as much of a page of entries as fits in one read, from one snapshot. */
async function selectFeed(
  connection: Connection,
  after: number,
  limit: number,
): Promise<{ entries: FeedEntry[]; isLast: boolean }> {
  const { sql } = connection;
  const next = `SELECT ${thoughtColumns}, s.id, s.project FROM {thoughts} t JOIN {sessions} s ON s.sid = t.sid
    WHERE t.seq > ? ORDER BY t.seq LIMIT ?`;
  const [thoughts, changes, others, appended, beyond] = await Promise.all([
    sql(inStride(next, "r.seq")).all(after, limit),
    sql(`SELECT c.seq, c.kind, c.at, s.id, s.project FROM {session_changes} c JOIN {sessions} s ON s.sid = c.sid
      WHERE c.seq > ? ORDER BY c.seq LIMIT ?`).all(after, limit),
    sql(`SELECT c.seq, c.type, c.data, c.ts_ms, w.name FROM {workspace_changes} c
      JOIN {memory_workspaces} w ON w.wid = c.wid WHERE c.seq > ? ORDER BY c.seq LIMIT ?`).all(after, limit),
    sql(`SELECT e.seq, e.kind, e.appended_on, e.ts_ms, d.name AS doc, w.name FROM {memory_entries} e
      JOIN {memory_docs} d ON d.doc = e.doc JOIN {memory_workspaces} w ON w.wid = d.wid
      WHERE e.seq > ? AND e.appended_on IS NOT NULL ORDER BY e.seq LIMIT ?`).all(after, limit),
    sql(
      "SELECT count(*) AS n FROM (SELECT 1 FROM {thoughts} t WHERE t.seq > ? ORDER BY t.seq LIMIT ?) t",
    ).get(after, limit),
  ]);
  const isCut = Number(beyond?.["n"] ?? 0) > thoughts.length;
  // If one of the lists is full, the page ends where that list ends.
  const ends = [changes, others, appended].map((rows) => lastIf(rows, rows.length >= limit));
  const upTo = Math.min(lastIf(thoughts, isCut || thoughts.length >= limit), ...ends);
  const entries = [
    ...thoughts.map(toThoughtEntry),
    ...changes.map(toChangeEntry),
    ...others.map(toMemoryEntry),
    ...appended.map(toAppendedEntry),
  ]
    .filter(({ seq }) => seq <= upTo)
    .sort((one, other) => one.seq - other.seq)
    .slice(0, limit);
  return { entries, isLast: upTo === Number.MAX_SAFE_INTEGER && entries.length < limit };
}

const lastIf = (rows: readonly Row[], isFull: boolean): number =>
  Number((isFull ? rows.at(-1)?.["seq"] : undefined) ?? Number.MAX_SAFE_INTEGER);
