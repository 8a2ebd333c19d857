import type { ImportRefusal, PartOutcome, SessionPart } from "../domain/ledger/judge-import.ts";

export type { PartOutcome, SessionPart };

/** Imports sessions as they were recorded elsewhere: with their IDs, numbers, times, positions and hashes. */
export interface LedgerImport {
  /**
   * Imports all parts in one transaction. Skips entries that the store already has, and continues a session
   * if the store has its beginning. Refuses a session that differs from the stored one, because an import
   * never overwrites. If `onlyProject` is set, refuses sessions that the store has in another project,
   * including its trash.
   */
  importParts(parts: readonly SessionPart[], onlyProject?: string): Promise<PartOutcome[]>;
  /**
   * Call before a background import that can be repeated. Other writers then wait less, but a power cut may
   * undo the last commits.
   */
  giveWay?(): Promise<void>;
  /** Indexes the imported text now, so that no other process has to. */
  indexWords?(): Promise<void>;
}

export type ImportProgress = { sessions: number; totalSessions: number; thoughts: number };

export type ImportOptions = {
  onProgress?: (progress: ImportProgress) => void;
  signal?: AbortSignal;
};

/** Paths are relative to the imported directory. */
export type ImportReport = {
  /** Session folders found. */
  sessions: number;
  /** Sessions that are new to the store. */
  imported: number;
  /** Sessions whose beginning the store already had. */
  continued: number;
  /** Sessions that the store already had. */
  unchanged: number;
  /** Thoughts that are new to the store. */
  thoughts: number;
  /** Sessions that differ from the stored session with the same ID. The stored session is kept. */
  refused: { sessionId: string; path: string; refusal: ImportRefusal }[];
  /** Files that were skipped, and were neither moved nor changed. */
  badFiles: { path: string; problem: string }[];
  warnings: { path: string; message: string }[];
};
