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
  /** The files are gone altogether: the writer begins at the beginning. */
  anew?: boolean | undefined;
};

export type WriterGrant =
  | { granted: true; projected: number /** The writer before did not say goodbye. */; abandoned: boolean }
  | { granted: false; heldUntil: number };

/**
 * Where the projection keeps its place between processes. One process at a time is its writer, by a lease that
 * ends by itself, so that the death of a writer costs no more than the rest of its lease.
 */
export interface ProjectionBook {
  readMarks(): Promise<ProjectionMarks>;
  /**
   * Makes the holder the writer, or prolongs it. Refused while another's lease lasts. After a restart of the
   * machine the projected mark falls back to the durable one.
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
