import type { ImportReport } from "./ledger-import.ts";
import type { WorkspaceOutcome } from "./memory/memory-dump.ts";
import type { NotebookReport } from "./notebook/notebook-archive.ts";
import type { Progress } from "./upkeep.ts";

export type DumpOptions = {
  /** Counted in sessions. */
  progress?: Progress;
  /** Counted in lines of the memory, which come before the sessions. */
  memoryProgress?: Progress;
  signal?: AbortSignal;
};

/** `workspace`: that one alone, without sessions, knowledge and notebooks; UNKNOWN_ID where there is none. */
export type DumpChoice = DumpOptions & {
  workspace?: string | undefined;
  /** These alone, without memory, knowledge and notebooks. */
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
  /** Each item, such as `session <id>`, with a digest of its state. */
  things: ReadonlyMap<string, string>;
};

export type ArchiveChoice = Omit<DumpOptions, "memoryProgress"> & {
  /** An instant in ISO 8601: sessions that were completed earlier are moved. */
  before: string;
  /** Counts only. */
  check?: boolean;
};

/** `kept`: sessions that changed while they were archived. They are still in the store. */
export type ArchiveReport = {
  path: string;
  bytes: number;
  sessions: number;
  thoughts: number;
  kept: string[];
};

export type RestoreReport = Omit<ImportReport, "badFiles"> & {
  /** Knowledge that was new to the store, and existing notes with the same ID, which were kept. */
  notes: number;
  keptNotes: number;
  notebooks: NotebookReport;
  /** What became of each workspace; one that the store has is never touched. */
  workspaces: WorkspaceOutcome[];
  /** The first hundred of them, and how many more there are. */
  badLines: { line: number; problem: string }[];
  moreBadLines: number;
};

/** Everything that was recorded as lines of JSON that any program can read, and back. */
export interface LedgerDump {
  /** Never overwrites a file; one that could not be finished is removed. What is in the trash is part of it. */
  dump(path: string, choice?: DumpChoice): Promise<DumpReport>;
  /** Brings back what `dump` wrote, to the hash. Existing data with the same IDs is never overwritten. */
  restore(path: string, options?: DumpOptions): Promise<RestoreReport>;
  /** Moves completed sessions into a file that `restore` reads. Never overwrites a file. */
  archive(path: string, choice: ArchiveChoice): Promise<ArchiveReport>;
  /** What a dump would contain. Two stores with the same contents have the same survey. */
  survey(options?: DumpOptions): Promise<StoreSurvey>;
}
