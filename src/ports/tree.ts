/**
 * The result of checking the tree, as the seeds define it. The store determines what is expected. Lists end at a
 * thousand.
 */
export type IntegrityValidationResult = {
  valid: boolean;
  /** Whether the session has a folder. */
  sessionExists: boolean;
  manifestExists: boolean;
  /** Whether the manifest is undamaged and agrees with the store. */
  manifestValid: boolean;
  missingThoughtFiles: string[];
  missingBranchFiles: Record<string, string[]>;
  /** Files that were not written yet. They are neither missing nor wrong. */
  pendingFiles: number;
  /** One sentence for each thing that is wrong, missing files included. */
  errors: string[];
};

export type TreeTrouble = {
  /** Such as EACCES or ENOSPC. */
  code: string;
  message: string;
  since: string;
};

export type TreeStatus = {
  /** `behind`: something waits to be written. `stalled`: nothing can be written at the moment. Writing is retried. */
  state: "current" | "behind" | "stalled";
  /** How far the store is ahead, in steps of `seq`. */
  pending: number;
  /** Up to which `seq` files are written, and up to which they would survive a power cut. */
  projectedSeq: number;
  durableSeq: number;
  trouble?: TreeTrouble;
  /** Sessions whose own folder cannot be written while the rest can; they are tried again. */
  deferred: { sessionId: string; reason: string }[];
};

export type RepairReport = {
  /** Sessions that were looked at. */
  checked: number;
  /** Sessions of which something had to be written again. */
  repaired: string[];
  /** Where bad or foreign files were moved to, by the path they had below the data directory. */
  quarantined: { path: string; movedTo: string }[];
  /** Sessions that could not be repaired, and why. */
  failed: { sessionId: string; reason: string }[];
};

/**
 * The ledger as the documented tree of JSON files: a projection that follows the store after the acknowledgement.
 * Nothing here rejects because of the tree. `status` reports problems with files.
 */
export interface LedgerTree {
  /**
   * Resolves when everything recorded before the call is in files, for one session or all. Also resolves if that is not
   * possible at the moment.
   */
  flush(sessionId?: string): Promise<void>;
  /** Compares one session's files with the store, byte by byte. */
  verify(sessionId: string, signal?: AbortSignal): Promise<IntegrityValidationResult>;
  /** Moves bad files to the quarantine, never deletes one, and writes what is missing: of one session, or of all. */
  repair(sessionId?: string, signal?: AbortSignal): Promise<RepairReport>;
  status(): Promise<TreeStatus>;
}
