import type { Feed } from "./feed.ts";
import type { LedgerStore } from "./ledger-store.ts";

/** The progress of the JSON files, shared by all processes that use the store. */
export type ProjectionMarks = {
  /** The highest seq in the store. */
  last: number;
  /** Everything up to this seq is in files. */
  projected: number;
  /** Everything up to this seq is in files that would survive a power cut. */
  durable: number;
  /**
   * The last writer, the machine boot during which it ran, and when its lease ends. `undefined` before the first
   * write.
   */
  lease: { holder: string; boot: string; until: number } | undefined;
};

export type WriterClaim = {
  /** Unique to the process. */
  holder: string;
  /** Identifies the boot of the machine. After a reboot, files may have been lost. */
  boot: string;
  now: number;
  lastsMs: number;
  /** True if the files are gone and the writer must start from the beginning. */
  anew?: boolean | undefined;
};

export type WriterGrant =
  | {
      granted: true;
      projected: number;
      /** True if the previous writer did not release its lease. */
      abandoned: boolean;
    }
  | { granted: false; heldUntil: number };

/**
 * Shares the progress of the JSON files between processes. One process at a time is the writer. The writer's
 * lease expires, so that a dead writer blocks others only for a limited time.
 */
export interface ProjectionBook {
  readMarks(): Promise<ProjectionMarks>;
  /**
   * Makes the holder the writer, or extends its lease. The claim is refused while another lease is valid.
   * After a restart of the machine, the projected mark falls back to the durable one.
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

  /** Lists sessions whose files are deferred because only their own folder is not writable. */
  listDeferred(): Promise<{ sessionId: string; reason: string }[]>;
  noteDeferred(sessionId: string, reason: string): Promise<void>;
  settleDeferred(sessionId: string): Promise<void>;
}

type Reads = "readSession" | "readEntries" | "readHead" | "readCritiqueChain" | "loadIndex" | "listSessions";

/** The parts of the store that the tree needs. */
export type LedgerSource = { ledger: Pick<LedgerStore, Reads>; feed: Feed; projection: ProjectionBook };
