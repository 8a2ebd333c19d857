import type { EntryKind } from "../../domain/memory/entry.ts";
import type { MemoryChange } from "../../domain/memory/steps/changes.ts";
import type { Feed, FeedEntry, SessionChange } from "../../ports/feed.ts";
import { decodeThought } from "./ledger-rows.ts";
import { parseColumn, type Row } from "./row.ts";

type Parts = {
  lastSeq(): Promise<number>;
  /** Reads as much of a page as fits in one read. */
  readPart(after: number, limit: number): Promise<{ entries: FeedEntry[]; isLast: boolean }>;
  /** Called when the first listener arrives. Returns a function that stops the polling. */
  startPolling(tell: () => void): () => void;
};

/** Notifies listeners of this process's commits at once, and of other processes' commits by polling. */
export function createPolledFeed({ lastSeq, readPart, startPolling }: Parts) {
  const listeners = new Set<() => void>();
  const ownListeners = new Set<() => void>();
  let stopPolling: (() => void) | undefined;

  /** Calls the listeners. A failing listener must not affect the commit. */
  const tell = (audience: ReadonlySet<() => void>) => {
    for (const listener of audience) {
      try {
        listener();
      } catch {
        // Listeners report their own errors.
      }
    }
  };

  const feed: Feed = {
    async readFeed(after, limit) {
      const page: FeedEntry[] = [];
      for (;;) {
        const { entries, isLast } = await readPart(page.at(-1)?.seq ?? after, limit - page.length);
        for (const entry of entries) page.push(entry);
        if (isLast || page.length >= limit) return page;
        await new Promise(setImmediate);
      }
    },
    lastSeq,
    onChange(listener) {
      listeners.add(listener);
      stopPolling ??= startPolling(() => tell(listeners));
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
    isPolling: () => stopPolling !== undefined,
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

const common = (row: Row) => ({
  seq: Number(row["seq"]),
  sessionId: String(row["id"]),
  project: String(row["project"]),
});

export const toThoughtEntry = (row: Row): FeedEntry => ({
  ...common(row),
  kind: "thought",
  entry: decodeThought(String(row["id"]), row),
});

export const toChangeEntry = (row: Row): FeedEntry => ({
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

export const toMemoryEntry = (row: Row): FeedEntry =>
  inWorkspace(row, { type: String(row["type"]), data: parseColumn(row["data"]) } as MemoryChange);

export const toAppendedEntry = (row: Row): FeedEntry => {
  const [seq, kind] = [Number(row["seq"]), String(row["kind"]) as EntryKind];
  const data = { branch: String(row["appended_on"]), doc: String(row["doc"]), seq, kind };
  return inWorkspace(row, { type: "note_committed", data });
};
