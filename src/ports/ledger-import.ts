import type { SessionRecord } from "../domain/ledger/session.ts";
import type { PlacedCritique } from "../domain/ledger/tree/critique-file.ts";
import type { SealedThought } from "../domain/ledger/tree/thought-file.ts";

/** A run of one session's entries in the order of their positions; long sessions come in several parts. */
export type SessionPart = {
  record: SessionRecord;
  entries: readonly SealedThought[];
  /** Of thoughts in this part or earlier ones; those that do not continue the session's critiques are left out. */
  critiques: readonly PlacedCritique[];
  /** What is missing is lost for good, so that a chain with holes is better than its beginning alone. */
  keepsGaps?: boolean;
};

export type PartOutcome = {
  sessionId: string;
  /** Entries that were not in the store before. */
  added: number;
  /** Critiques that were not in the store before. */
  critiques: number;
  /** True when the session itself was not in the store before. */
  created: boolean;
  /** Positions of what follows something that neither the part nor the store has. */
  leftOut: { thoughts: readonly number[]; critiques: readonly number[] };
  /** Why nothing of this part was taken; a sentence. */
  refused?: string;
};

/** Brings sessions in as they were recorded elsewhere: their ids, numbers, times, positions and hashes. */
export interface LedgerImport {
  /**
   * One transaction for all parts. Entries that the store holds already are skipped when they are the same, and
   * a session that the store knows the beginning of is continued. One that differs anywhere is refused as it
   * stands: an import never overwrites. With `onlyProject`, sessions that the store holds for other projects, in its
   * trash too, are refused without a look at them.
   */
  importParts(parts: readonly SessionPart[], onlyProject?: string): Promise<PartOutcome[]>;
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
  /** Sessions that the store held already. */
  unchanged: number;
  /** Thoughts that the store did not hold. */
  thoughts: number;
  /** Sessions that differ from what the store holds under their id; the store's stand. */
  refused: { sessionId: string; path: string; reason: string }[];
  /** Files that were passed over. They are left where they are. */
  badFiles: { path: string; problem: string }[];
  warnings: { path: string; message: string }[];
};
