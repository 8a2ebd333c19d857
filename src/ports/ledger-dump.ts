import type { ImportReport } from "./ledger-import.ts";
import type { WorkspaceOutcome } from "./memory/memory-dump.ts";
import type { NotebookReport } from "./notebook/notebook-archive.ts";
import type { Progress } from "./upkeep.ts";

export type DumpOptions = {
  /** Called with the number of finished sessions and their total. */
  progress?: Progress;
  /** Like `progress`, but for lines of the memory, which are written before the sessions. */
  memoryProgress?: Progress;
  signal?: AbortSignal;
};

/**
 * If `workspace` is set, `dump` writes only that workspace, without sessions, knowledge or notebooks. It
 * rejects with UNKNOWN_ID if the workspace does not exist.
 */
export type DumpChoice = DumpOptions & {
  workspace?: string | undefined;
  /** Dumps only these sessions, without memory, knowledge or notebooks. */
  sessions?: readonly string[] | undefined;
};

export type MemoryCounts = {
  workspaces: number;
  branches: number;
  entries: number;
  versions: number;
  lines: number;
  lastSeq: number;
};

export type DumpReport = {
  path: string;
  bytes: number;
  sessions: number;
  thoughts: number;
  notes: number;
  notebooks: number;
  memory: MemoryCounts;
};

export type StoreSurvey = {
  counts: Omit<DumpReport, "path" | "bytes">;
  /** A digest of each item's state, keyed by the item's name, such as `session <id>`. */
  things: ReadonlyMap<string, string>;
};

export type ArchiveChoice = Omit<DumpOptions, "memoryProgress"> & {
  /** Sessions that were completed before this time (ISO 8601) are moved. */
  before: string;
  /** If true, only counts the sessions and moves nothing. */
  check?: boolean;
};

/** The result of archiving. `kept` lists sessions that changed in the meantime and are still in the store. */
export type ArchiveReport = {
  path: string;
  bytes: number;
  sessions: number;
  thoughts: number;
  kept: string[];
};

export type RestoreReport = Omit<ImportReport, "badFiles"> & {
  /** How many notes were added, and how many were skipped because the store already has their ID. */
  notes: number;
  keptNotes: number;
  notebooks: NotebookReport;
  /** The outcome for each workspace. Workspaces that already exist in the store are never changed. */
  workspaces: WorkspaceOutcome[];
  /** The first hundred bad lines. */
  badLines: { line: number; problem: string }[];
  moreBadLines: number;
};

/** Exports everything that was recorded as lines of JSON that any program can read, and restores such exports. */
export interface LedgerDump {
  /** Writes a dump, including the trash. Never overwrites a file. Removes the new file if the dump fails. */
  dump(path: string, choice?: DumpChoice): Promise<DumpReport>;
  /** Restores what `dump` wrote, including the hashes. Never overwrites existing data with the same IDs. */
  restore(path: string, options?: DumpOptions): Promise<RestoreReport>;
  /** Moves completed sessions into a file that `restore` reads. Never overwrites a file. */
  archive(path: string, choice: ArchiveChoice): Promise<ArchiveReport>;
  /** Summarises what a dump would contain. Two stores with the same contents have the same survey. */
  survey(options?: DumpOptions): Promise<StoreSurvey>;
}
