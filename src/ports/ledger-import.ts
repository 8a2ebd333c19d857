import type { ImportRefusal, PartOutcome, SessionPart } from "../domain/ledger/judge-import.ts";

export type { ImportRefusal, PartOutcome, SessionPart };

/** Imports sessions as they were recorded elsewhere: with their IDs, numbers, times, positions and hashes. */
export interface LedgerImport {
  /**
   * One transaction for all parts. Skips entries that the store already has, and continues a session whose beginning it
   * knows. A session that differs anywhere is refused, because an import never overwrites. With `onlyProject`, sessions
   * that the store has in other projects, including its trash, are refused without being read.
   */
  importParts(parts: readonly SessionPart[], onlyProject?: string): Promise<PartOutcome[]>;
  /**
   * For a background import that can be repeated. Other writers wait less for this process, and a power cut may undo
   * its last commits.
   */
  giveWay?(): Promise<void>;
  /** Indexes what was imported now, so that no other process has to. */
  indexWords?(): Promise<void>;
}

export type ImportProgress = { sessions: number; totalSessions: number; thoughts: number };

export type ImportOptions = {
  onProgress?: (progress: ImportProgress) => void;
  signal?: AbortSignal;
};

/** Paths count from the directory that was imported. */
export type ImportReport = {
  /** Session folders that were found. */
  sessions: number;
  /** Sessions that the store did not know. */
  imported: number;
  /** Sessions of which the store knew the beginning. */
  continued: number;
  /** Sessions that the store already had. */
  unchanged: number;
  /** Thoughts that the store did not have. */
  thoughts: number;
  /** Sessions that differ from the store's session with the same ID. The store's are kept. */
  refused: { sessionId: string; path: string; refusal: ImportRefusal }[];
  /** Files that were passed over. They are left where they are. */
  badFiles: { path: string; problem: string }[];
  warnings: { path: string; message: string }[];
};
