/**
 * The result of comparing the tree with the store, in the form that the contract defines. Lists contain at most a
 * thousand entries.
 */
export type IntegrityValidationResult = {
  valid: boolean;
  /** True if the session has a folder. */
  sessionExists: boolean;
  manifestExists: boolean;
  /** True if the manifest is intact and agrees with the store. */
  manifestValid: boolean;
  missingThoughtFiles: string[];
  missingBranchFiles: Record<string, string[]>;
  /** Files that have not been written yet, which are neither missing nor wrong. */
  pendingFiles: number;
  /** One sentence per problem, including missing files. */
  errors: string[];
};

export type TreeTrouble = {
  /** The error's code, such as EACCES or ENOSPC. */
  code: string;
  message: string;
  since: string;
};

export type TreeStatus = {
  /**
   * `behind`: writes are pending. `stalled`: nothing can be written at the moment, and Thoughtbox keeps
   * trying.
   */
  state: "current" | "behind" | "stalled";
  /** By how many `seq` numbers the files lag behind the store. */
  pending: number;
  /** The `seq` up to which files are written, and the one up to which they would survive a power cut. */
  projectedSeq: number;
  durableSeq: number;
  trouble?: TreeTrouble;
  /** Sessions whose own folder is not writable, although the tree is. They are retried. */
  deferred: { sessionId: string; reason: string }[];
};

export type RepairReport = {
  /** How many sessions were checked. */
  checked: number;
  /** Sessions with files that had to be rewritten. */
  repaired: string[];
  /** Bad or foreign files: their former path in the data directory, and where they were moved. */
  quarantined: { path: string; movedTo: string }[];
  /** Sessions that could not be repaired, and why. */
  failed: { sessionId: string; reason: string }[];
};

/**
 * The ledger as a tree of JSON files. The files follow the store after each acknowledged write. No method
 * rejects because of a problem with the files. `status` reports those problems.
 */
export interface LedgerTree {
  /**
   * Resolves when everything recorded before the call is in files, for one session or all. Also resolves if
   * the files cannot be written at the moment.
   */
  flush(sessionId?: string): Promise<void>;
  /** Compares one session's files with the store, byte by byte. */
  verify(sessionId: string, signal?: AbortSignal): Promise<IntegrityValidationResult>;
  /** Moves bad files to the quarantine and writes missing ones, for some sessions or all. Never deletes a file. */
  repair(sessions?: string | readonly string[], signal?: AbortSignal): Promise<RepairReport>;
  status(): Promise<TreeStatus>;
}
