import type { Once } from "../../domain/ledger/requests.ts";
import type { CellChange, CellVersion } from "../../domain/notebook/change-cells.ts";
import type { Cell, Language, Notebook } from "../../domain/notebook/notebook.ts";
import type { RunResult } from "./cell-runner.ts";

/**
 * A run of a cell. A run that is still `running` after `expiresAt` has been interrupted. It counts as failed
 * and has no result.
 */
export type CellRun = {
  /** The version of the cell that ran. */
  version: number;
  /** When the run started, in milliseconds since 1970. */
  startedAt: number;
  /** When the run stops counting as running, unless it is renewed. */
  expiresAt: number;
  result: Omit<RunResult, "status"> | undefined;
  status: "running" | "completed" | "failed";
};

/** A version of a cell, and when it was written. */
export type DatedVersion = CellVersion & { at: number };

export type StoredNotebook = Notebook & {
  project: string;
  createdAt: number;
  updatedAt: number;
  /** When the newest version of each cell was written, by cell ID. */
  changedAt: ReadonlyMap<string, number>;
  /** Each cell's latest run, by cell ID. Omits cells that never ran. */
  runs: ReadonlyMap<string, CellRun>;
  /** IDs of the cells in queues that have not expired. */
  queued: ReadonlySet<string>;
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

/**
 * Computes the change inside the transaction, from the current notebook and the cell versions that
 * `historyOf` requested.
 */
export type Decide = (notebook: Notebook, history: readonly CellVersion[]) => CellChange;

export type CellChangeRequest = {
  project: string;
  notebookId: string;
  at: number;
  once: Once | undefined;
  /** The ID of the cell whose versions `decide` needs. Omit if `decide` needs no versions. */
  historyOf?: ((notebook: Notebook) => string) | undefined;
};

/**
 * Stores notebooks of all projects durably. Writes resolve after the commit. If a rule throws, nothing
 * changes. Only `restoreNotebook` and the list of the trash find notebooks in the trash.
 */
export interface NotebookStore {
  createNotebook(draft: NotebookDraft, once: Once | undefined): Promise<StoredNotebook>;
  readNotebook(project: string, notebookId: string): Promise<StoredNotebook | undefined>;
  /** Lists notebooks, most recently changed first. */
  listNotebooks(filter: {
    project: string;
    trash: boolean;
    limit: number;
    offset: number;
  }): Promise<{ notebooks: NotebookHead[]; total: number }>;
  /** Returns every version of a cell, oldest first. Empty if the cell never existed. */
  readHistory(notebookId: string, cellId: string): Promise<DatedVersion[]>;
  /** Changes cells in one transaction. Returns `undefined` if the notebook does not exist. */
  changeCells(
    change: CellChangeRequest,
    decide: Decide,
  ): Promise<{ notebook: StoredNotebook; cellId: string } | undefined>;
  /** Moves a notebook to the trash. Returns false if the notebook does not exist. */
  trashNotebook(project: string, notebookId: string, at: number): Promise<boolean>;
  restoreNotebook(project: string, notebookId: string, at: number): Promise<StoredNotebook | undefined>;
  /**
   * Marks a cell as running. Returns `undefined` if any process is already running a cell in this notebook. The mark
   * expires at `expiresAt`, so that a dead process does not block others for long. `queue` shrinks to the given cells
   * in the same transaction.
   */
  beginRun(run: {
    notebookId: string;
    cellId: string;
    version: number;
    at: number;
    expiresAt: number;
    queue?: { id: number; cells: readonly string[] } | undefined;
  }): Promise<number | undefined>;
  /** Extends a run's mark. Call regularly while the cell is running. Does nothing once the run has ended. */
  renewRun(runId: number, expiresAt: number): Promise<void>;
  /**
   * Marks cells as queued until `expiresAt`, in the order in which they will run. Several queues of a notebook can
   * exist at once. Deletes queues that have expired by `at`. Returns `undefined` if the notebook does not exist.
   */
  joinQueue(queue: {
    notebookId: string;
    cells: readonly string[];
    at: number;
    expiresAt: number;
  }): Promise<number | undefined>;
  /** Moves the expiry of a queue's marks. Does nothing if the queue no longer exists. */
  renewQueue(queueId: number, expiresAt: number): Promise<void>;
  leaveQueue(queueId: number): Promise<void>;
  /**
   * Ends a run and returns its notebook. Returns `undefined` if the notebook has been deleted. A store keeps
   * a limited number of the newest runs per cell, and every run that is evidence.
   */
  endRun(
    runId: number,
    result: RunResult,
    at: number,
    options: { isEvidence: boolean },
  ): Promise<StoredNotebook | undefined>;
  /** Lists the stored runs of a cell, newest first. */
  listRuns(notebookId: string, cellId: string, limit: number): Promise<CellRun[]>;
  /**
   * Returns the run of a cell that started at this time. `undefined` if there is no such run, or it is no
   * longer kept.
   */
  readRun(notebookId: string, cellId: string, startedAt: number): Promise<CellRun | undefined>;
}
