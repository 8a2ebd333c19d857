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
  /** The number of `seq` values by which the files lag behind the store. */
  pending: number;
  /** The `seq` up to which files are written, and the one up to which they would survive a power cut. */
  projectedSeq: number;
  durableSeq: number;
  trouble?: TreeTrouble;
  /** Sessions whose own folder is not writable, unlike the rest of the tree. They are retried. */
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
 * Keeps the ledger as a tree of JSON files, which are written after each acknowledged write to the store. No
 * method rejects because of a problem with the files. `status` reports such problems.
 */
export interface LedgerTree {
  /**
   * Resolves when everything recorded before the call, for one session or all, is in files. Also resolves if
   * the files cannot be written at the moment.
   */
  flush(sessionId?: string): Promise<void>;
  /** Compares one session's files with the store, byte by byte. */
  verify(sessionId: string, signal?: AbortSignal): Promise<IntegrityValidationResult>;
  /** Repairs some sessions or all: moves bad files to the quarantine and writes missing ones. Never deletes a file. */
  repair(sessions?: string | readonly string[], signal?: AbortSignal): Promise<RepairReport>;
  status(): Promise<TreeStatus>;
}
