/** What processes that share a store record about its projection. */
export type ProjectionMarks = {
  /** The highest seq of the store. */
  last: number;
  /** Everything up to here is in files. */
  projected: number;
  /** Everything up to here is in files that would survive a power cut. */
  durable: number;
  /**
   * Who wrote last, in which boot of the machine, and until when no one else may. `undefined` before the
   * first write.
   */
  lease: { holder: string; boot: string; until: number } | undefined;
};

export type WriterClaim = {
  /** Unique to the process. */
  holder: string;
  /** Names the run of the machine: another one means that files may have been lost since. */
  boot: string;
  now: number;
  lastsMs: number;
  /** The files are gone, so the writer starts from the beginning. */
  anew?: boolean | undefined;
};

export type WriterGrant =
  | { granted: true; projected: number /** The writer before did not say goodbye. */; abandoned: boolean }
  | { granted: false; heldUntil: number };

/**
 * Where processes share the position of the projection. One process at a time is its writer, with a lease that expires,
 * so that a dead writer blocks others only until then.
 */
export interface ProjectionBook {
  readMarks(): Promise<ProjectionMarks>;
  /**
   * Makes the holder the writer, or extends its lease. Refused while another's lease lasts. After the machine
   * restarted, the projected mark falls back to the durable one.
   */
  claimWriter(claim: WriterClaim): Promise<WriterGrant>;
  /**
   * Moves marks, never backwards, and prolongs the lease until `until`, or ends it without. False, and nothing
   * moved, when the holder is not the writer any more.
   */
  noteProgress(progress: {
    holder: string;
    projected?: number;
    durable?: number;
    until?: number | undefined;
  }): Promise<boolean>;

  /** Sessions whose files are deferred because their folder could not be written while the rest of the tree could. */
  listDeferred(): Promise<{ sessionId: string; reason: string }[]>;
  noteDeferred(sessionId: string, reason: string): Promise<void>;
  settleDeferred(sessionId: string): Promise<void>;
}
