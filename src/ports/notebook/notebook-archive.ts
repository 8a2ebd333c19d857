import type { Cell, CellContent, Language } from "../../domain/notebook/notebook.ts";
import type { RunResult } from "./cell-runner.ts";

/** A notebook as it moves between stores; times are ISO 8601. */
export type NotebookRecord = {
  id: string;
  project: string;
  language: Language;
  tsconfig?: string | undefined;
  net: boolean;
  /** The cells in their order, each with its version. */
  cells: { id: string; version: number }[];
  createdAt: string;
  updatedAt: string;
  /** Set where the notebook is in the trash. */
  deletedAt?: string | undefined;
};

/** One version of a cell; without content it says that the cell was deleted. */
export type CellRecord = {
  cellId: string;
  version: number;
  position: number;
  at: string;
  content?: CellContent | undefined;
};

/** A run of a cell that came to an end: its latest, or one that a thought was recorded of. */
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

/** The current state of a notebook, in any store. */
export type ArchivedNotebook = Omit<NotebookRecord, "cells"> & { cells: Cell[]; runs: RunRecord[] };

/**
 * `kept`: the store already has every version. `refused`: it has different contents under the same ID, which
 * are kept.
 */
export type NotebookOutcome = "added" | "kept" | "refused";

export type NotebookReport = {
  /** Notebooks that were new to the store, and those it already had. */
  added: number;
  kept: number;
  refused: { notebookId: string; reason: string }[];
};

export type NotebookInspection = {
  notebooks: number;
  inTrash: number;
  /** Sentences; empty when all is in order. */
  problems: string[];
};

/** Notebooks of all projects with their whole past, the trash included: for moving them, and for looking after them. */
export interface NotebookArchive {
  /** Oldest first. */
  listNotebookIds(): Promise<string[]>;
  /** As of one moment. `undefined` when there is none. */
  readWhole(notebookId: string): Promise<WholeNotebook | undefined>;
  /** The same without the past of its cells, and of each only the latest run. */
  readLatest(notebookId: string): Promise<ArchivedNotebook | undefined>;
  /** One transaction; never overwrites. */
  addWhole(whole: WholeNotebook): Promise<NotebookOutcome>;
  inspectNotebooks(): Promise<NotebookInspection>;
}

export type NotebookRepair = { checked: number; repaired: string[]; setAside: string[] };

/** The files that show notebooks to people and their tools. */
export interface NotebookFiles {
  /** One sentence for each notebook whose files do not say what the store says. */
  findDifferences(): Promise<string[]>;
  /** Writes the files of notebooks that have none. */
  writeMissing(): Promise<void>;
  /** Writes such files again. What was changed by hand is set aside, never deleted. */
  repair(): Promise<NotebookRepair>;
}
