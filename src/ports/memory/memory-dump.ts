import type { TableLine, TableName } from "../../domain/memory/dump-tables.ts";
import type { EntryKind, Meta } from "../../domain/memory/entry.ts";
import type { GraphState } from "../../domain/memory/graph.ts";

/** Where something was written. A branch is named by its uid, which stays when it is renamed or deleted. */
type Written = { workspace: string; branch: string; doc: string; seq: number; ts_ms: number };

/** `checkout` is the uid of a branch; `last_entry` the seq of what was written last. */
export type WorkspaceLine = {
  name: string;
  created_at_ms: number;
  project_guard?: string | undefined;
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

/** One thing that the memory holds. The member says what it is. */
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
  /** The store holds the same already. */
  | { outcome: "unchanged" }
  /** Why nothing of it was taken; a sentence without its point. */
  | { outcome: "refused"; reason: string }
);

export interface MemoryRestore {
  /**
   * In one short transaction; answers, line by line, what is wrong with those that were passed over, as the end
   * of a sentence. Nothing can be seen of a workspace before `finish`.
   */
  take(lines: readonly MemoryLine[]): Promise<(string | undefined)[]>;
  /** Shows what was restored, all at once. */
  finish(): Promise<WorkspaceOutcome[]>;
  /** Takes everything back. */
  abandon(): Promise<void>;
}

/** The memory as lines that can be replayed in their order: what something refers to comes before it. */
export interface MemoryDump {
  /** From one snapshot, while others go on writing. `undefined` for all workspaces; an unknown one is UNKNOWN_ID. */
  dumpMemory(workspace: string | undefined): AsyncIterable<MemoryPage>;
  /** How many lines there are to come, near enough for a progress bar. */
  countMemory(workspace: string | undefined): Promise<number>;
  /**
   * Brings workspaces in as they were. A workspace that the store has is never touched. Numbers stay as they were
   * where the store has given out none; else they are moved above `lastSeq` and above its own, in the same order,
   * so that a number in a text never comes to mean something else.
   */
  restoreMemory(lastSeq: number): MemoryRestore;
}
