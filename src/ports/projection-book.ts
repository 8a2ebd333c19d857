/** What the processes that share a store record about its projection. */
export type ProjectionMarks = {
  /** The highest seq of the store. */
  last: number;
  /** Everything up to here is in files. */
  projected: number;
  /** Everything up to here is in files that would survive a power cut. */
  durable: number;
  /**
   * The last writer, the boot of the machine it ran in, and when its lease ends. `undefined` before the first write.
   */
  lease: { holder: string; boot: string; until: number } | undefined;
};

export type WriterClaim = {
  /** Unique to the process. */
  holder: string;
  /** Identifies the boot of the machine. If it changed, files may have been lost. */
  boot: string;
  now: number;
  lastsMs: number;
  /** The files are gone, so the writer starts from the beginning. */
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
 * Where processes share the position of the projection. One process at a time is its writer, with a lease that expires,
 * so that a dead writer blocks others only until then.
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

  /**
   * Sessions whose files are deferred because their folder could not be written, although the rest of the tree could.
   */
  listDeferred(): Promise<{ sessionId: string; reason: string }[]>;
  noteDeferred(sessionId: string, reason: string): Promise<void>;
  settleDeferred(sessionId: string): Promise<void>;
}
