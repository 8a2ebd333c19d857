import type { ImportRefusal, PartOutcome, SessionPart } from "../domain/ledger/judge-import.ts";

export type { ImportRefusal, PartOutcome, SessionPart };

/** Brings sessions in as they were recorded elsewhere: their ids, numbers, times, positions and hashes. */
export interface LedgerImport {
  /**
   * One transaction for all parts. Entries that the store already contains are skipped if they are the same, and
   * a session that the store knows the beginning of is continued. One that differs anywhere is refused as it
   * stands: an import never overwrites. With `onlyProject`, sessions that the store holds for other projects, in its
   * trash too, are refused without a look at them.
   */
  importParts(parts: readonly SessionPart[], onlyProject?: string): Promise<PartOutcome[]>;
  /**
   * For a process that imports in the background what it can import again. From now on other processes that write wait
   * less for this one, and a power cut may take its last commits back.
   */
  giveWay?(): Promise<void>;
  /** Makes what was imported searchable now, so that no other process of the store has to. */
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
