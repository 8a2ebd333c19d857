/**
 * An agent's call that has no result yet. `command` describes the call in one line for people. `at` is when
 * the call began.
 */
export type RunningCall = { command: string; at: string };

/** The state of a transcript when it was last read. */
export type CapturedFile = {
  root: string;
  path: string;
  bytes: number;
  modifiedMs: number;
  at: string;
  /** The working directory of its session. `undefined` until a line contains the directory. */
  cwd?: string | undefined;
  sessionId?: string | undefined;
  project?: string | undefined;
  /** Why the file was refused, as a complete sentence. */
  problem?: string | undefined;
  /** The call that was still running at the end of the transcript. */
  running?: RunningCall | undefined;
};

export type CapturePage = { files: CapturedFile[]; total: number };

export type FileClaim = { root: string; path: string; holder: string; now: number; lastsMs: number };

/**
 * Records how far the transcripts on this machine have been read. Backups include this state. Dumps omit it,
 * because it is only valid on this machine. If this state is lost, an import still finds missing thoughts,
 * but takes longer.
 */
export interface CaptureBook {
  find(root: string, path: string): Promise<CapturedFile | undefined>;
  /** Lists the files, most recently read first. */
  list(limit: number): Promise<CapturePage>;
  /** Claims a file for this reader, or extends its claim. Returns false while another reader's claim is valid. */
  claim(claim: FileClaim): Promise<boolean>;
  note(file: CapturedFile): Promise<void>;
  /** Releases this reader's claims. */
  release(holder: string): Promise<void>;
}

/** `unasked`: no one has consented yet, so nothing is read. */
export type CaptureState = "on" | "off" | "paused" | "unasked";

export type CaptureReport = { files: number; bytes: number; thoughts: number; problems: number };

export type ForgetReport = {
  project: string;
  sessions: number;
  /** Directories in which sessions are no longer captured. */
  excluded: string[];
  /** Copies of the store that still contain the forgotten sessions. */
  copies: string[];
};

/** Records sessions from other programs by reading their transcripts. */
export interface Capture {
  state(): CaptureState;
  /** Returns true if sessions in a directory are captured now. */
  allows(cwd?: string): boolean;
  /**
   * Follows a transcript while the process is running and the user consents. Omit `conversation` to follow all of this
   * user's transcripts.
   */
  follow(conversation?: string): void;
  /** Captures everything new once, without following the transcripts. */
  catchUp(options?: {
    signal?: AbortSignal;
    onProgress?: (done: number, total: number) => void;
  }): Promise<CaptureReport>;
  list(limit: number): Promise<CapturePage>;
  pause(): void;
  resume(): void;
  /** Permanently erases the captured sessions of a project, and never captures sessions in its directories again. */
  forget(project: string): Promise<ForgetReport>;
  close(): Promise<void>;
}
