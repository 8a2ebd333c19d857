import type { EntryKind } from "../../../domain/memory/entry.ts";
import type { MemoryChange } from "../../../domain/memory/steps/changes.ts";
import type { Feed, FeedEntry, SessionChange } from "../../../ports/feed.ts";
import { decodeThought, thoughtColumns } from "../../rows/ledger-rows.ts";
import { parseColumn, type Row } from "../../rows/row.ts";
import type { Connection, WithConnection } from "../connection/access.ts";
import { currentSeq } from "../connection/sequence.ts";
import { inStride } from "../ledger/thought-reads.ts";

const pollMs = 100;

/**
 * All writes share one counter, so the feed merges ordered tables. While there are listeners, the counter is polled. A
 * hint from another server only triggers an earlier poll.
 */
export function createFeed(read: WithConnection, hints: { listen(onHint: () => void): () => void }) {
  const listeners = new Set<() => void>();
  const ownListeners = new Set<() => void>();
  let stopPolling: (() => void) | undefined;
  let seen: number | undefined;
  let isPolling = false;

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

  async function poll(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    try {
      const last = await read(currentSeq);
      if (last !== seen) tell(listeners);
      seen = last;
    } catch {
      // If the store cannot be read, it is polled again next time.
    } finally {
      isPolling = false;
    }
  }

  function startPolling(): () => void {
    const timer = setInterval(() => void poll(), pollMs).unref();
    const stopListening = hints.listen(() => void poll());
    return () => {
      clearInterval(timer);
      stopListening();
    };
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
      }
    },
    lastSeq: () => read(currentSeq),
    onChange(listener) {
      listeners.add(listener);
      stopPolling ??= startPolling();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stopPolling?.();
        stopPolling = undefined;
      };
    },
    onOwnChange(listener) {
      ownListeners.add(listener);
      return () => void ownListeners.delete(listener);
    },
  };
  return {
    feed,
    /** The last number that listeners received. `undefined` without listeners. */
    seen: () => (stopPolling ? seen : undefined),
    noteOwnCommit(): void {
      tell(listeners);
      tell(ownListeners);
    },
    stop(): void {
      stopPolling?.();
      listeners.clear();
      ownListeners.clear();
    },
  };
}

/** Reads as much of a page as fits in one read, from one snapshot. */
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

const common = (row: Row) => ({
  seq: Number(row["seq"]),
  sessionId: String(row["id"]),
  project: String(row["project"]),
});

const toThoughtEntry = (row: Row): FeedEntry => ({
  ...common(row),
  kind: "thought",
  entry: decodeThought(String(row["id"]), row),
});

const toChangeEntry = (row: Row): FeedEntry => ({
  ...common(row),
  kind: "session",
  change: String(row["kind"]) as SessionChange,
  at: String(row["at"]),
});

const inWorkspace = (row: Row, change: MemoryChange): FeedEntry => ({
  seq: Number(row["seq"]),
  workspace: String(row["name"]),
  kind: "memory",
  at: new Date(Number(row["ts_ms"])).toISOString(),
  change,
});

const toMemoryEntry = (row: Row): FeedEntry =>
  inWorkspace(row, { type: String(row["type"]), data: parseColumn(row["data"]) } as MemoryChange);

const toAppendedEntry = (row: Row): FeedEntry => {
  const [seq, kind] = [Number(row["seq"]), String(row["kind"]) as EntryKind];
  const data = { branch: String(row["appended_on"]), doc: String(row["doc"]), seq, kind };
  return inWorkspace(row, { type: "note_committed", data });
};
