import type { TableLine, TableName } from "../../domain/memory/dump-tables.ts";
import type { EntryKind, Meta } from "../../domain/memory/entry.ts";
import type { GraphState } from "../../domain/memory/graph.ts";
import type { MemoryChange } from "../../domain/memory/steps/changes.ts";
import type { Need, Writes } from "../../domain/memory/steps/rows.ts";

/**
 * Where and when something was written. `branch` is the branch's uid, which does not change when the branch is renamed
 * or deleted.
 */
type Written = { workspace: string; branch: string; doc: string; seq: number; ts_ms: number };

/** A workspace. `checkout` is the uid of a branch, and `last_entry` is the seq of the last write. */
export type WorkspaceLine = {
  name: string;
  created_at_ms: number;
  project_guard?: string | undefined;
  project?: string | undefined;
  checkout: string;
  last_entry?: number | undefined;
};

/** A branch, created from the branch with the uid `base` at the seq `base_seq`. */
export type BranchLine = {
  workspace: string;
  uid: string;
  name: string;
  base?: string | undefined;
  base_seq?: number | undefined;
  created_at_ms: number;
  deleted_at_ms?: number | undefined;
  /** True if an older version of Thoughtbox deleted the branch without keeping its contents. */
  erased?: true | undefined;
};

/** An entry of a document. Only copies have an `origin`: the seq of the original, which may no longer exist. */
export type EntryLine = Written & {
  kind: EntryKind;
  title?: string | undefined;
  format?: string | undefined;
  meta?: Meta | undefined;
  content: string;
  agent_id?: string | undefined;
  origin?: number | undefined;
  source_event_id?: string | undefined;
};

/** A commit. Its line follows the line of the commit's entry. */
export type CommitLine = { workspace: string; seq: number; parent?: number | undefined };

/** A version of a node or edge. `keeps` is set if the key's previous version is still visible on a branch. */
export type VersionLine = Written & { state: GraphState; keeps?: true | undefined };

/** A row of a table in `dumpTables`. */
type RowLine = { [Name in TableName]: Record<Name, TableLine<Name>> }[TableName];

/** One item in the memory. The property name is the kind of the item. */
export type MemoryLine =
  | { workspace: WorkspaceLine }
  | { branch: BranchLine }
  | { entry: EntryLine }
  | { commit: CommitLine }
  | { version: VersionLine }
  | RowLine;

/** `lastSeq` is the highest number used so far, in this page or an earlier one. */
export type MemoryPage = { lines: MemoryLine[]; lastSeq: number };

export type WorkspaceOutcome = { workspace: string } & (
  | { outcome: "restored"; entries: number; versions: number }
  /** The store already has the same workspace. */
  | { outcome: "unchanged" }
  /** Why the workspace was refused, as a sentence without a full stop. */
  | { outcome: "refused"; reason: string }
);

/** The sources of a dump's rows. Each source reads one or two tables. */
export type RowSource = "workspace" | "branch" | "entry" | "version" | TableName;

/** Selects rows in these workspaces whose keys follow `after`, in the order of the keys. */
export type RowsAsked = {
  of: RowSource;
  workspaces: readonly number[];
  after: readonly number[];
  limit: number;
};

/** A row, keyed by the column names that `storage/rows/dump-rows.ts` defines. */
export type DumpedRow = Readonly<Record<string, string | number | null>>;

/** A snapshot of the store, which can be read until it is closed, while other processes continue writing. */
export interface MemorySnapshot {
  /** All workspaces, in the order of their numbers. */
  workspaces: readonly { wid: number; name: string }[];
  /** Counts the entries, versions and branches of these workspaces. */
  count(workspaces: readonly number[]): Promise<number>;
  read(asked: RowsAsked): Promise<readonly DumpedRow[]>;
  close(): Promise<void>;
}

/** A row for a table in `dumpTables`: its values, keyed by column. */
export type AddedRow = { of: TableName; columns: ReadonlyMap<string, string | number | null> };

/**
 * What a restore asks the store to do inside a transaction. `load` and `apply` work as in a commit's `Request`. `add`
 * returns the indexes of rows that already existed and are left unchanged.
 */
export type ReplayRequest = { load: readonly Need[] } | { apply: Writes } | { add: readonly AddedRow[] };
export type Replaying<Result> = Generator<ReplayRequest, Result, unknown>;

/**
 * The methods that a store implements to dump and restore the memory. `storage/dump/` defines the lines,
 * their order, their numbers and the errors for all stores.
 */
export interface MemoryTransfer {
  /** Opens a snapshot. If `only` is set, the snapshot may omit other workspaces' rows. */
  openSnapshot(only: string | undefined): Promise<MemorySnapshot>;
  /** Runs `work` in one transaction, and may restart it. */
  replay<Result>(work: (at: Date) => Replaying<Result>): Promise<Result>;
  /**
   * Erases a small part of a workspace, so that other writers do not wait long. Returns false until nothing
   * is left to erase.
   */
  discardSome(workspace: string): Promise<boolean>;
  /** Reports the changes of a committed transaction to this process's subscribers. */
  announce(changes: readonly { workspace: string; change: MemoryChange; at: Date }[]): void;
}
