/** How well cells are kept from the rest of the machine, best first. At `none` nothing keeps them. */
export const sandboxLevels = ["strong", "medium", "basic", "none"] as const;
export type SandboxLevel = (typeof sandboxLevels)[number];

export type SandboxReport = {
  /** The level cells run at; `undefined`: no cell can run here. */
  level: SandboxLevel | undefined;
  /** Why a better level is not in use, best level first. */
  lacking: readonly { level: SandboxLevel; reason: string }[];
  /** The one command that raises the level; `undefined` where there is nothing to gain or nothing known. */
  raise: string | undefined;
};

export const displayMimes = [
  "text/plain",
  "text/markdown",
  "text/html",
  "image/png",
  "image/svg+xml",
  "application/json",
] as const;

/** Something a cell showed with `display()`: text and SVG as they are, JSON as its text, PNG in base64. */
export type Display = { mime: (typeof displayMimes)[number]; data: string };

/** What ended a run that did not end by itself. */
export type RunLimit = "time" | "processor" | "memory" | "disk" | "cancelled";

/** What came of running a cell. */
export type RunResult = {
  status: "completed" | "failed";
  /** What was printed, in the order it was printed in; cut with a mark when it was too much. */
  output: string;
  truncated: boolean;
  error?: string | undefined;
  /** The value of the last expression, printed as Node would. */
  value?: string | undefined;
  displays: readonly Display[];
  exitCode: number | null;
  stoppedBy?: RunLimit | undefined;
  durationMs: number;
  sandbox: SandboxLevel;
};

export type CodeFile = { filename: string; source: string };

export type RunRequest = {
  /** Names the directory that the cells of one notebook share; an id by its pattern. */
  notebookId: string;
  /** Every code cell of the notebook: they import each other. */
  files: readonly CodeFile[];
  entry: string;
  tsconfig?: string | undefined;
  /** Whether the cell may use the network. */
  net: boolean;
  timeoutMs: number;
};

export type InstallRequest = {
  notebookId: string;
  packages: readonly { name: string; range: string }[];
};

export type InstallResult = {
  status: "completed" | "failed";
  /** What npm said, shortened. */
  output: string;
  error?: string | undefined;
  installed: readonly { name: string; version: string }[];
  /** Packages that would have liked to run scripts while being installed; they did not. */
  wantedScripts: readonly string[];
  /** What nothing but npm's own settings kept it from. */
  notEnforced: readonly string[];
  durationMs: number;
};

export type RunOptions = {
  signal: AbortSignal;
  progress(message: string): void;
};

/**
 * Runs cells, each in its own process, and installs their packages. Failing cells are results, not failures:
 * a promise is rejected only when nothing could be run at all. Nothing outlives the call.
 */
export interface CellRunner {
  /** Probed at the first call by really attempting attacks. */
  sandbox(): Promise<SandboxReport>;
  /**
   * Takes a place for a run or an installation that is about to ask for its turn; the function gives it back. `undefined`
   * while this caller, or all of them, have as many as they may.
   */
  enter(caller: unknown): (() => void) | undefined;
  run(request: RunRequest, options: RunOptions): Promise<RunResult>;
  install(request: InstallRequest, options: RunOptions): Promise<InstallResult>;
  close(): Promise<void>;
}
