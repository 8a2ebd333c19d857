import type { ChainedThought } from "../domain/ledger/thought.ts";

export type SessionChange = "created" | "updated" | "deleted" | "restored";

/** One thing that happened to the ledger. `seq` orders everything in a store and never repeats. */
export type FeedEntry = { seq: number; sessionId: string; project: string } & (
  | { kind: "thought"; entry: ChainedThought }
  | { kind: "session"; change: SessionChange; at: string }
);

/** The ledger as a stream that any number of readers follow by `seq`, each at its own pace. */
export interface Feed {
  /** Entries with a higher seq than `after`, in order, at most `limit`. */
  readFeed(after: number, limit: number): Promise<FeedEntry[]>;
  /** The highest seq so far; 0 for an empty store. */
  lastSeq(): Promise<number>;
  /**
   * Calls `listener` soon after something was appended, by this process or another one that shares the store.
   * It may be called without cause; it is never silent for long when there is one. Returns how to stop.
   */
  onChange(listener: () => void): () => void;
  /** The same for what this process writes, and nothing else. Costs nothing while nobody writes. */
  onOwnChange(listener: () => void): () => void;
}
