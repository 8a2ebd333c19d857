import type { Once } from "../../domain/ledger/requests.ts";
import type { CellChange, CellVersion } from "../../domain/notebook/change-cells.ts";
import type { Cell, Language, Notebook } from "../../domain/notebook/notebook.ts";
import type { RunResult } from "./cell-runner.ts";

/** The latest run of a cell. One that is `running` past its time was interrupted: it counts as failed, without a result. */
export type CellRun = {
  /** The version of the cell that ran. */
  version: number;
  /** When it began, in milliseconds since 1970. */
  startedAt: number;
  /** Until when it counts as running, unless it is renewed. */
  expiresAt: number;
  result: Omit<RunResult, "status"> | undefined;
  status: "running" | "completed" | "failed";
};

export type StoredNotebook = Notebook & {
  project: string;
  createdAt: number;
  updatedAt: number;
  /** When the newest version of each cell was written, by cell id. */
  changedAt: ReadonlyMap<string, number>;
  /** By cell id; cells that never ran are not in it. */
  runs: ReadonlyMap<string, CellRun>;
};

export type NotebookHead = {
  id: string;
  title: string;
  language: Language;
  cellCount: number;
  net: boolean;
  createdAt: number;
  updatedAt: number;
};

export type NotebookDraft = {
  id: string;
  project: string;
  language: Language;
  tsconfig?: string | undefined;
  net: boolean;
  cells: readonly Cell[];
  at: number;
};

/** What a rule decides, from the notebook as it is inside the transaction and the versions of the cell it asked for. */
export type Decide = (notebook: Notebook, history: readonly CellVersion[]) => CellChange;

export type CellChangeRequest = {
  project: string;
  notebookId: string;
  at: number;
  once: Once | undefined;
  /** The id of the cell whose versions the rule needs. Without it the rule gets none. */
  historyOf?: ((notebook: Notebook) => string) | undefined;
};

/**
 * Notebooks of all projects, durable. Writes resolve after the commit; a rule that throws changes nothing. A notebook in
 * the trash is not found by anything but `restoreNotebook` and a list of the trash.
 */
export interface NotebookStore {
  createNotebook(draft: NotebookDraft, once: Once | undefined): Promise<StoredNotebook>;
  readNotebook(project: string, notebookId: string): Promise<StoredNotebook | undefined>;
  /** The latest changed first. */
  listNotebooks(filter: {
    project: string;
    trash: boolean;
    limit: number;
    offset: number;
  }): Promise<{ notebooks: NotebookHead[]; total: number }>;
  /** Every version of a cell, oldest first; empty when there never was one. */
  readHistory(notebookId: string, cellId: string): Promise<CellVersion[]>;
  /** One transaction. `undefined` when there is no such notebook. */
  changeCells(
    change: CellChangeRequest,
    decide: Decide,
  ): Promise<{ notebook: StoredNotebook; cellId: string } | undefined>;
  /** False when there was none. */
  trashNotebook(project: string, notebookId: string, at: number): Promise<boolean>;
  restoreNotebook(project: string, notebookId: string, at: number): Promise<StoredNotebook | undefined>;
  /**
   * Marks a cell as running, unless a cell of the same notebook is, in whatever process: then `undefined`. A
   * mark expires at `expiresAt`, so that a dead process does not block others for long.
   */
  beginRun(run: {
    notebookId: string;
    cellId: string;
    version: number;
    at: number;
    expiresAt: number;
  }): Promise<number | undefined>;
  /** The process that runs a cell says again and again that it does. Changes nothing once the run has ended. */
  renewRun(runId: number, expiresAt: number): Promise<void>;
  /**
   * Returns the notebook of the run, unless it was deleted meanwhile. A cell keeps its newest runs, a bounded number of
   * them, and every run that is evidence.
   */
  endRun(
    runId: number,
    result: RunResult,
    at: number,
    options: { isEvidence: boolean },
  ): Promise<StoredNotebook | undefined>;
  /** The run of a cell that began at this time; `undefined` where there is none, or it is no longer kept. */
  readRun(notebookId: string, cellId: string, startedAt: number): Promise<CellRun | undefined>;
}
