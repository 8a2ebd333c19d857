import type { Cell, CellContent, Language } from "../../domain/notebook/notebook.ts";
import type { RunResult } from "./cell-runner.ts";

/** The form in which a notebook is moved between stores. Times are in ISO 8601. */
export type NotebookRecord = {
  id: string;
  project: string;
  language: Language;
  tsconfig?: string | undefined;
  net: boolean;
  /** The cells in order, each with its version. */
  cells: { id: string; version: number }[];
  createdAt: string;
  updatedAt: string;
  /** Set if the notebook is in the trash. */
  deletedAt?: string | undefined;
};

/** One version of a cell. If the version has no content, it records that the cell was deleted. */
export type CellRecord = {
  cellId: string;
  version: number;
  position: number;
  at: string;
  content?: CellContent | undefined;
};

/** A finished run of a cell: its latest run, or one that a thought was recorded about. */
export type RunRecord = {
  cellId: string;
  version: number;
  status: "completed" | "failed";
  result?: Omit<RunResult, "status"> | undefined;
  startedAt: string;
  endedAt: string;
  isEvidence?: true | undefined;
};

export type WholeNotebook = { notebook: NotebookRecord; versions: CellRecord[]; runs: RunRecord[] };

/** The current state of a notebook, in the same form for every store. */
export type ArchivedNotebook = Omit<NotebookRecord, "cells"> & { cells: Cell[]; runs: RunRecord[] };

/**
 * `kept`: the store already has every version. `refused`: the store has a different notebook with this ID and
 * keeps that one.
 */
export type NotebookOutcome = "added" | "kept" | "refused";

export type NotebookReport = {
  /** The number of notebooks that were new to the store. */
  added: number;
  kept: number;
  refused: { notebookId: string; reason: string }[];
};

export type NotebookInspection = {
  notebooks: number;
  inTrash: number;
  /** One sentence per problem. Empty if there is none. */
  problems: string[];
};

/**
 * Reads and adds notebooks of all projects with their complete history, including the trash. Used to move and
 * check them.
 */
export interface NotebookArchive {
  /** Lists the IDs of all notebooks, oldest first. */
  listNotebookIds(): Promise<string[]>;
  /** Reads a notebook from one snapshot. Returns `undefined` if the notebook does not exist. */
  readWhole(notebookId: string): Promise<WholeNotebook | undefined>;
  /** Like `readWhole`, but returns only the current version and the latest run of each cell. */
  readLatest(notebookId: string): Promise<ArchivedNotebook | undefined>;
  /** Adds a notebook in one transaction. Never overwrites. */
  addWhole(whole: WholeNotebook): Promise<NotebookOutcome>;
  inspectNotebooks(): Promise<NotebookInspection>;
}

export type NotebookRepair = { checked: number; repaired: string[]; setAside: string[] };

/** Checks and writes the files that show notebooks to people and their tools. */
export interface NotebookFiles {
  /** Returns one sentence for each notebook whose files differ from the store. */
  findDifferences(): Promise<string[]>;
  /** Writes the files for notebooks that have none. */
  writeMissing(): Promise<void>;
  /** Rewrites files that differ. Files that were changed by hand are moved aside, never deleted. */
  repair(): Promise<NotebookRepair>;
}
