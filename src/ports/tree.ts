import type { Feed } from "./feed.ts";
import type { LedgerStore } from "./ledger-store.ts";

/**
 * The result of comparing the tree with the store, in the shape that the contract defines. Lists contain at most a
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
  /** Files that were not written yet. They are neither missing nor wrong. */
  pendingFiles: number;
  /** One sentence per problem, including missing files. */
  errors: string[];
};

export type TreeTrouble = {
  /** Such as EACCES or ENOSPC. */
  code: string;
  message: string;
  since: string;
};

export type TreeStatus = {
  /** `behind`: writes are pending. `stalled`: nothing can be written at the moment, and writing is retried. */
  state: "current" | "behind" | "stalled";
  /** How many `seq` numbers the files are behind the store. */
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
  /** Bad or foreign files: their former path below the data directory, and where they were moved. */
  quarantined: { path: string; movedTo: string }[];
  /** Sessions that could not be repaired, and why. */
  failed: { sessionId: string; reason: string }[];
};

/**
 * The ledger as a tree of JSON files. The files follow the store after each acknowledged write. No method rejects
 * because of the tree. `status` reports problems with files.
 */
export interface LedgerTree {
  /**
   * Resolves when everything recorded before the call is in files, for one session or all. Also resolves if they cannot
   * be written at the moment.
   */
  flush(sessionId?: string): Promise<void>;
  /** Compares one session's files with the store, byte by byte. */
  verify(sessionId: string, signal?: AbortSignal): Promise<IntegrityValidationResult>;
  /** Moves bad files to the quarantine and writes missing ones, for one session or all. Never deletes a file. */
  repair(sessionId?: string, signal?: AbortSignal): Promise<RepairReport>;
  status(): Promise<TreeStatus>;
}

/** The progress of the JSON files, shared by all processes that use the store. */
export type ProjectionMarks = {
  /** The highest seq of the store. */
  last: number;
  /** Everything up to this seq is in files. */
  projected: number;
  /** Everything up to this seq is in files that would survive a power cut. */
  durable: number;
  /**
   * The last writer, the boot of the machine it ran in, and when its lease ends. `undefined` before the first write.
   */
  lease: { holder: string; boot: string; until: number } | undefined;
};

export type WriterClaim = {
  /** Unique to the process. */
  holder: string;
  /** Identifies the boot of the machine. After a new boot, files may be lost. */
  boot: string;
  now: number;
  lastsMs: number;
  /** Set if the files are gone, so that the writer starts from the beginning. */
  anew?: boolean | undefined;
};

export type WriterGrant =
  | {
      granted: true;
      projected: number;
      /** The previous writer did not release its lease. */
      abandoned: boolean;
    }
  | { granted: false; heldUntil: number };

/**
 * Where processes share the progress of the JSON files. One process at a time is the writer. Its lease expires, so that
 * a dead writer blocks others only for a limited time.
 */
export interface ProjectionBook {
  readMarks(): Promise<ProjectionMarks>;
  /**
   * Makes the holder the writer, or extends its lease. Refused while another lease is valid. After a restart of the
   * machine, the projected mark falls back to the durable one.
   */
  claimWriter(claim: WriterClaim): Promise<WriterGrant>;
  /**
   * Moves marks forward, never back. Extends the lease to `until`, or ends it if `until` is omitted. Returns false and
   * moves nothing if the holder is no longer the writer.
   */
  noteProgress(progress: {
    holder: string;
    projected?: number;
    durable?: number;
    until?: number | undefined;
  }): Promise<boolean>;

  /** Sessions whose files are deferred because their own folder is not writable, although the tree is. */
  listDeferred(): Promise<{ sessionId: string; reason: string }[]>;
  noteDeferred(sessionId: string, reason: string): Promise<void>;
  settleDeferred(sessionId: string): Promise<void>;
}

type Reads = "readSession" | "readEntries" | "readHead" | "readCritiqueChain" | "loadIndex" | "listSessions";

/** The parts of the store that the tree needs. */
export type LedgerSource = { ledger: Pick<LedgerStore, Reads>; feed: Feed; projection: ProjectionBook };
