import type { Note } from "../domain/knowledge/note.ts";
import type { CritiqueChain } from "../domain/ledger/chain/critique-chain.ts";
import type { TrashedSession } from "../domain/ledger/session.ts";
import type { LedgerStore } from "./ledger-store.ts";

export type StoreInspection = {
  /** What the store is kept by, such as SQLite and its version, and what reaches it. */
  engine: { name: string; version: string; driver: string };
  /** Sentences about what is damaged; empty if the store is whole. */
  problems: string[];
  sessions: number;
  thoughts: number;
  inTrash: number;
  /** Thoughts that full-text search does not know yet. */
  unindexed: number;
  writable: boolean;
};

export type DirectoryInspection = {
  path: string;
  exists: boolean;
  /** Why it cannot be used at all, as the end of a sentence: "is a symbolic link". */
  flaw?: string;
  /** The code of the error that writing to it, or making it, ended with; absent where it worked. */
  unwritable?: string;
  /** Whether its owner alone can look into it. */
  private: boolean;
  /** As they are printed: 700. */
  rights: string;
  freeBytes: number;
};

export type BackupReport = { path: string; bytes: number; sessions: number; thoughts: number };

export type Progress = (done: number, total: number) => void;

/**
 * What people who look after a store need of it, besides what agents do with it. A store without `backup` is copied with the
 * tools of its database. One without `reindex` indexes in the transaction that writes.
 */
export interface LedgerUpkeep {
  /** Ids that begin with `prefix`, newest first; sessions in the trash are left out. */
  findSessionIds(prefix: string, limit: number): Promise<string[]>;
  /** Every project that has a session or a note, sorted. */
  listProjects(): Promise<string[]>;
  /** Reads everything once, so a large store takes its time; `signal` ends it. */
  inspect(signal?: AbortSignal): Promise<StoreInspection>;
  /**
   * One consistent copy of everything, while others continue writing: whatever was acknowledged before the
   * call is in it. Never overwrites; the copy is private, on disk and proven whole when the promise resolves.
   * What `signal` ends leaves no file.
   */
  backup?(path: string, signal?: AbortSignal): Promise<BackupReport>;
  /** Rewrites the files of the store, so that no byte of what was erased is left in them. */
  scrub?(): Promise<void>;
  /**
   * Rebuilds the full-text index. Searches wait for it, and after an abort the next search indexes the rest.
   * `nodes` are versions of the memory's nodes.
   */
  reindex?(progress: Progress, signal?: AbortSignal): Promise<{ thoughts: number; nodes: number }>;
}

export type TrashedKind = "session" | "pattern" | "scratchpad" | "notebook" | "branch";

export type TrashedThing = {
  kind: TrashedKind;
  id: string;
  title: string;
  /** Its project; of a branch, the workspace. */
  place: string;
  deletedAt: string;
};

export type EmptiedTrash = {
  sessions: { id: string; project: string }[];
  notebooks: { id: string; project: string }[];
  notes: number;
};

type TrashedNote = { project: string; note: Note; deletedAt: string };

/** What was deleted in any project. No operation reaches this: only a person at the command line empties it. */
export interface Trash {
  /** The latest first. */
  listTrash(limit: number): Promise<{ things: TrashedThing[]; total: number }>;
  /**
   * Erases sessions, notebooks and notes of the knowledge zone that lie in the trash, each in its own
   * transaction. Deleted branches of the memory stay, because others may depend on them.
   */
  emptyTrash(): Promise<EmptiedTrash>;
  /** Erases these sessions alone, as far as they are in the trash. */
  eraseSessions(sessionIds: readonly string[]): Promise<EmptiedTrash["sessions"]>;

  /** For moving the trash to another store, with what was recorded in it. `undefined` if it is not in the trash. */
  readTrashedSession(sessionId: string): Promise<TrashedSession | undefined>;
  /** As `readStride` and `readCritiqueChain` of LedgerStore, for a session in the trash. */
  readTrashedStride: LedgerStore["readStride"];
  readTrashedCritiques(sessionId: string): Promise<CritiqueChain>;
  /** Notes of the knowledge zone, each as it was when it was deleted, in a fixed order. */
  listTrashedNotes(limit: number, offset: number): Promise<TrashedNote[]>;
  /** Straight to the trash. False, and nothing changed, if the store has a note of this id, there or in use. */
  addTrashedNote(trashed: TrashedNote): Promise<boolean>;
}
