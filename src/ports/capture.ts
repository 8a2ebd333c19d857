/** A transcript as it was last read. */
export type CapturedFile = {
  root: string;
  path: string;
  bytes: number;
  modifiedMs: number;
  /** When it was read. */
  at: string;
  /** Where its session took place. `undefined` until a line shows it. */
  cwd?: string | undefined;
  sessionId?: string | undefined;
  project?: string | undefined;
  /** Why it was refused, as a sentence. */
  problem?: string | undefined;
};

export type CapturePage = { files: CapturedFile[]; total: number };

export type FileClaim = { root: string; path: string; holder: string; now: number; lastsMs: number };

/**
 * How far the transcripts on this machine have been read. It belongs to the machine, so backups include it and dumps do
 * not. It only saves work: an import finds out by itself what the ledger lacks.
 */
export interface CaptureBook {
  find(root: string, path: string): Promise<CapturedFile | undefined>;
  /** The latest first. */
  list(limit: number): Promise<CapturePage>;
  /** Claims a file for this reader, or extends the claim. False while another reader's claim lasts. */
  claim(claim: FileClaim): Promise<boolean>;
  note(file: CapturedFile): Promise<void>;
  /** Releases this reader's claims. */
  release(holder: string): Promise<void>;
}

/** `unasked`: no person has agreed, so nothing is read. */
export type CaptureState = "on" | "off" | "paused" | "unasked";

export type CaptureReport = { files: number; bytes: number; thoughts: number; problems: number };

export type ForgetReport = {
  project: string;
  sessions: number;
  /** Directories whose sessions are not captured again. */
  excluded: string[];
  /** Copies of the store that still contain what was forgotten. */
  copies: string[];
};

/** Records sessions of other programs from their transcripts. */
export interface Capture {
  state(): CaptureState;
  /** Whether sessions of a directory are captured now. */
  allows(cwd?: string): boolean;
  /** From now on, for as long as the process runs and the consent lasts. Without names: every transcript of this user. */
  follow(conversation?: string): void;
  /** Everything that is new, once. */
  catchUp(options?: {
    signal?: AbortSignal;
    onProgress?: (done: number, total: number) => void;
  }): Promise<CaptureReport>;
  list(limit: number): Promise<CapturePage>;
  pause(): void;
  resume(): void;
  /** Erases the captured sessions of a project for good, and never captures sessions of its directories again. */
  forget(project: string): Promise<ForgetReport>;
  close(): Promise<void>;
}
