/** Answers of `/api/notebooks…`. Secrets are masked in every text. */

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

/** `GET /api/notebooks/{id}` */
export type NotebookAnswer = Omit<NotebookLine, "cellCount"> & { cells: NotebookCell[] };

export type NotebookCell = {
  id: string;
  type: "title" | "markdown" | "code" | "package.json";
  version: number;
  filename?: string;
  text: string;
  /** IDs of the cells that it imports, directly or indirectly. */
  uses: string[];
  state: "idle" | "running" | "completed" | "failed" | "stale" | "interrupted";
  run?: {
    at: number;
    version: number;
    output?: string;
    value?: string;
    error?: string;
    exitCode?: number | null;
    durationMs?: number;
    sandbox?: string;
    stoppedBy?: string;
    displays: { mime: string; data: string }[];
  };
};

/** `GET /api/notebooks/{id}/cells/{cellId}` – every version, newest first. */
export type CellHistoryAnswer = { cellId: string; versions: { version: number; text?: string }[] };
