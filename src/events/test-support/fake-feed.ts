import type { ChainedThought } from "../../domain/ledger/thought.ts";
import type { Feed, FeedEntry } from "../../ports/feed.ts";

/** Creates a feed that a test can make fail, or change during a read. Has two tables and one counter. */
export function createFakeFeed() {
  const thoughts: FeedEntry[] = [];
  const changes: FeedEntry[] = [];
  const listeners = new Set<() => void>();
  let seq = 0;
  let failures = 0;
  let betweenTables = () => {};

  function failIfAsked(): void {
    if (failures === 0) return;
    failures -= 1;
    throw new Error("The store cannot be read now.");
  }

  function append(kind: "thought" | "session", sessionId = "session"): void {
    seq += 1;
    const common = { seq, sessionId, project: "_default" };
    if (kind === "thought") thoughts.push({ ...common, kind, entry: {} as ChainedThought });
    else changes.push({ ...common, kind, change: "updated", at: "2026-11-15T12:00:00.000Z" });
    for (const listener of listeners) listener();
  }

  const feed: Feed = {
    async readFeed(after, limit) {
      failIfAsked();
      const rows = (table: FeedEntry[]) => table.filter((entry) => entry.seq > after).slice(0, limit);
      const first = rows(thoughts);
      betweenTables();
      return [...first, ...rows(changes)].sort((a, b) => a.seq - b.seq).slice(0, limit);
    },
    async lastSeq() {
      failIfAsked();
      return seq;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onOwnChange: () => () => {},
  };

  return {
    feed,
    append,
    appendMany(count: number, sessionId?: string): void {
      for (let index = 0; index < count; index += 1) append("thought", sessionId);
    },
    /** Makes the next `times` reads reject. */
    fail(times: number): void {
      failures = times;
    },
    /** Runs `write` once, between the reads of the two tables. */
    tear(write: () => void): void {
      betweenTables = () => {
        betweenTables = () => {};
        write();
      };
    },
    lastSeq: () => seq,
    listeners: () => listeners.size,
  };
}
