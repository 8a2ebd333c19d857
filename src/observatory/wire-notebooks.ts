/** Answers from `/api/notebooks…`. Secrets are masked in every text. */
import type { ThoughtType } from "./wire.ts";

/** `GET /api/notebooks` – in all projects, most recently changed first. */
export type NotebooksAnswer = { notebooks: NotebookLine[]; total: number };

export type NotebookLine = {
  id: string;
  title: string;
  project: string;
  language: string;
  cellCount: number;
  updatedAt: number;
  /** Cells whose code, or the code they import, changed after they ran. */
  stale: number;
  /** Cells whose last run never ended. */
  interrupted: number;
};

/** `GET /api/notebooks/{id}` – without the title, and without a `package.json` that names no package. */
export type NotebookAnswer = Omit<NotebookLine, "cellCount"> & {
  cells: NotebookCell[];
  /** Thoughts that link to cells, newest first. */
  recorded: RecordedRun[];
};

export type NotebookCell = {
  id: string;
  type: "markdown" | "code" | "package.json";
  version: number;
  filename?: string;
  text: string;
  /** IDs of the cells that this one imports, directly or indirectly. */
  uses: string[];
  state: "idle" | "queued" | "running" | "completed" | "failed" | "stale" | "interrupted";
  /** Set for a stale cell: the names of the cells that changed after it ran. */
  changed?: string[];
  run?: NotebookRun;
};

/** A run and its output. Runs have no numbers and are identified by their start time. */
export type NotebookRun = {
  at: number;
  version: number;
  output?: string;
  value?: string;
  error?: string;
  exitCode?: number | null;
  durationMs?: number;
  sandbox?: string;
  /** What stopped the run before it ended: `time`, `processor`, `memory`, `disk` or `cancelled`. */
  stoppedBy?: string;
  /** Set for an interrupted run: when its process was last alive. */
  aliveAt?: number;
  displays: { mime: string; data: string }[];
};

/** A thought that links to a cell, and which version and run it links to. */
export type RecordedRun = {
  cellId: string;
  version?: number;
  run?: number;
  /** ID of the thought. */
  thought: string;
  type: ThoughtType;
  text: string;
  title: string;
  at: string;
};

/** `GET /api/notebooks/{id}/cells/{cellId}` – every version and the runs that are kept, newest first. */
export type CellHistoryAnswer = {
  cellId: string;
  versions: { version: number; at: number; text?: string }[];
  runs: CellRunLine[];
};

export type CellRunLine = Pick<
  NotebookRun,
  "at" | "version" | "exitCode" | "durationMs" | "stoppedBy" | "aliveAt"
> & {
  state: "running" | "completed" | "failed" | "interrupted";
  /** The first line of the run's error. */
  error?: string;
};

/** `GET /api/notebooks/{id}/cells/{cellId}?run` – one run in full. */
export type CellRunAnswer = { cellId: string; run?: NotebookRun };

/** `GET /api/notebooks/{id}/cells/{cellId}?name=true` */
export type CellNameAnswer = { cellId: string; name: string; title: string };

/** `GET /api/notebooks/{id}/source` – as `.src.md`. */
export type NotebookSourceAnswer = { filename: string; content: string };
