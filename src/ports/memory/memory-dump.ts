import type { TableLine, TableName } from "../../domain/memory/dump-tables.ts";
import type { EntryKind, Meta } from "../../domain/memory/entry.ts";
import type { GraphState } from "../../domain/memory/graph.ts";
import type { MemoryChange } from "../../domain/memory/steps/changes.ts";
import type { Need, Writes } from "../../domain/memory/steps/rows.ts";

/** Where something was written. A branch is named by its uid, which stays when it is renamed or deleted. */
type Written = { workspace: string; branch: string; doc: string; seq: number; ts_ms: number };

/** `checkout` is the uid of a branch; `last_entry` the seq of what was written last. */
export type WorkspaceLine = {
  name: string;
  created_at_ms: number;
  project_guard?: string | undefined;
  project?: string | undefined;
  checkout: string;
  last_entry?: number | undefined;
};

/** `base` is the uid of the branch it was made from, and `base_seq` the moment. */
export type BranchLine = {
  workspace: string;
  uid: string;
  name: string;
  base?: string | undefined;
  base_seq?: number | undefined;
  created_at_ms: number;
  deleted_at_ms?: number | undefined;
  /** Deleted when deleting still meant that nothing was kept. */
  erased?: true | undefined;
};

/** `origin` is there for copies: the seq of what they are copies of, whether or not that is still there. */
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

/** Follows the entry that it is. */
export type CommitLine = { workspace: string; seq: number; parent?: number | undefined };

/** `keeps`: the version of the same key before it is still shown somewhere. */
export type VersionLine = Written & { state: GraphState; keeps?: true | undefined };

/** A row of a table that is described once for all stores. */
type RowLine = { [Name in TableName]: Record<Name, TableLine<Name>> }[TableName];

/** One item of the memory. The member names its kind. */
export type MemoryLine =
  | { workspace: WorkspaceLine }
  | { branch: BranchLine }
  | { entry: EntryLine }
  | { commit: CommitLine }
  | { version: VersionLine }
  | RowLine;

/** `lastSeq` is the highest number that was used so far, in this page or before it. */
export type MemoryPage = { lines: MemoryLine[]; lastSeq: number };

export type WorkspaceOutcome = { workspace: string } & (
  | { outcome: "restored"; entries: number; versions: number }
  /** The store already has the same. */
  | { outcome: "unchanged" }
  /** Why it was refused: a sentence without a full stop. */
  | { outcome: "refused"; reason: string }
);

/** What a dump reads, each from a table or two. */
export type RowSource = "workspace" | "branch" | "entry" | "version" | TableName;

/** Rows of these workspaces behind `after`, in the order of the source's keys. */
export type RowsAsked = {
  of: RowSource;
  workspaces: readonly number[];
  after: readonly number[];
  limit: number;
};

/** By the names that `storage/rows/dump-rows.ts` gives the columns. */
export type DumpedRow = Readonly<Record<string, string | number | null>>;

/** One moment of the store, until it is closed, while others continue writing. */
export interface MemorySnapshot {
  /** All of them, in the order of their numbers. */
  workspaces: readonly { wid: number; name: string }[];
  /** How many entries, versions and branches these workspaces have. */
  count(workspaces: readonly number[]): Promise<number>;
  read(asked: RowsAsked): Promise<readonly DumpedRow[]>;
  close(): Promise<void>;
}

/** A row of a described table, by column. */
export type AddedRow = { of: TableName; columns: ReadonlyMap<string, string | number | null> };

/**
 * What a restore has the store do inside a transaction. `load` and `apply` are those of `MemoryRows`. `add` is answered by
 * the positions of the rows that were there already, which stay as they are.
 */
export type ReplayRequest = { load: readonly Need[] } | { apply: Writes } | { add: readonly AddedRow[] };
export type Replaying<Result> = Generator<ReplayRequest, Result, unknown>;

/**
 * What a store does for dump and restore of the memory. The lines, their order, their numbers and what is wrong with them
 * are the same for every store: `storage/dump/`.
 */
export interface MemoryTransfer {
  /** With `only`, just the rows of that workspace have to be there. */
  openSnapshot(only: string | undefined): Promise<MemorySnapshot>;
  /** In one transaction. The work may be begun again. */
  replay<Result>(work: (at: Date) => Replaying<Result>): Promise<Result>;
  /** Erases a part of a workspace, small enough for other writers to wait. `false` while there is more. */
  discardSome(workspace: string): Promise<boolean>;
  /** Announces to subscribers of this process what a transaction has published. */
  announce(changes: readonly { workspace: string; change: MemoryChange; at: Date }[]): void;
}
