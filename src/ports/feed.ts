import type { SessionChange } from "../domain/ledger/session.ts";
import type { ChainedThought } from "../domain/ledger/thought.ts";
import type { MemoryChange } from "../domain/memory/steps/changes.ts";

export type { SessionChange };

/** One change to the ledger. */
export type SessionEntry = { seq: number; sessionId: string; project: string } & (
  | { kind: "thought"; entry: ChainedThought }
  | { kind: "session"; change: SessionChange; at: string }
);

/** One change to the memory. */
export type WorkspaceEntry = {
  seq: number;
  workspace: string;
  kind: "memory";
  change: MemoryChange;
  at: string;
};

/** A change. Its `seq` orders everything in a store and never repeats. */
export type FeedEntry = SessionEntry | WorkspaceEntry;

/** Reads the changes to the ledger and the memory as one stream. Any number of readers can follow it by `seq`. */
export interface Feed {
  /** Returns at most `limit` entries with a higher seq than `after`, in order. */
  readFeed(after: number, limit: number): Promise<FeedEntry[]>;
  /** Returns the highest seq so far, or 0 for an empty store. */
  lastSeq(): Promise<number>;
  /**
   * Calls `listener` soon after any process that shares the store appends something. May also call it without a change,
   * but never misses a change for long. Returns a function that unsubscribes.
   */
  onChange(listener: () => void): () => void;
  /** Like `onChange`, but only for writes by this process. Costs nothing while there are no writes. */
  onOwnChange(listener: () => void): () => void;
}
