/**
 * Levels of isolation between cells and the rest of the machine, best first. At `none`, cells are not isolated.
 */
export const sandboxLevels = ["strong", "medium", "basic", "none"] as const;
export type SandboxLevel = (typeof sandboxLevels)[number];

export type SandboxReport = {
  /** The level that cells run at. `undefined` if no cell can run on this machine. */
  level: SandboxLevel | undefined;
  /** The reason why each better level is not in use, best level first. */
  lacking: readonly { level: SandboxLevel; reason: string }[];
  /** The command that raises the level. `undefined` if no better level is possible or no command is known. */
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

/** What a cell showed with `display()`: text and SVG unchanged, JSON as text, PNG as base64. */
export type Display = { mime: (typeof displayMimes)[number]; data: string };

/** What stopped a run that did not finish. */
export type RunLimit = "time" | "processor" | "memory" | "disk" | "cancelled";

/** The result of running a cell. */
export type RunResult = {
  status: "completed" | "failed";
  /** What the cell printed, in order. Output that is too long is truncated and marked. */
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
  /** The ID of the directory that the cells in a notebook share. */
  notebookId: string;
  /** Every code cell in the notebook, because cells can import each other. */
  files: readonly CodeFile[];
  entry: string;
  tsconfig?: string | undefined;
  /** Allows the cell to use the network. */
  net: boolean;
  timeoutMs: number;
};

export type InstallRequest = {
  notebookId: string;
  packages: readonly { name: string; range: string }[];
};

export type InstallResult = {
  status: "completed" | "failed";
  /** The output of npm, shortened. */
  output: string;
  error?: string | undefined;
  installed: readonly { name: string; version: string }[];
  /** Packages with install scripts, which were not run. */
  wantedScripts: readonly string[];
  /** Restrictions that only npm's settings enforced, and not the sandbox. */
  notEnforced: readonly string[];
  durationMs: number;
};

export type RunOptions = {
  signal: AbortSignal;
  progress(message: string): void;
};

/**
 * Runs cells, each in its own process, and installs their packages. A failing cell is a result, not an error: a promise
 * rejects only if nothing could be run at all. Nothing keeps running after the call.
 */
export interface CellRunner {
  /** Returns the level of isolation. The first call determines the level by attempting real attacks. */
  sandbox(): Promise<SandboxReport>;
  /**
   * Reserves a slot for a run or an installation before it queues. The returned function releases the slot. Returns
   * `undefined` if this caller, or all callers together, have used up their slots.
   */
  enter(caller: unknown): (() => void) | undefined;
  run(request: RunRequest, options: RunOptions): Promise<RunResult>;
  install(request: InstallRequest, options: RunOptions): Promise<InstallResult>;
  close(): Promise<void>;
}
