import type { Note } from "../domain/knowledge/note.ts";
import type { CritiqueChain } from "../domain/ledger/chain/critique-chain.ts";
import type { TrashedSession } from "../domain/ledger/session.ts";
import type { LedgerStore } from "./ledger-store.ts";

export type StoreInspection = {
  /** The database, such as SQLite, its version, and the driver that accesses it. */
  engine: { name: string; version: string; driver: string };
  /** One sentence for each problem found. Empty if the store is intact. */
  problems: string[];
  sessions: number;
  thoughts: number;
  inTrash: number;
  /** Thoughts that are not yet in the full-text index. */
  unindexed: number;
  writable: boolean;
};

export type DirectoryInspection = {
  path: string;
  exists: boolean;
  /** Why Thoughtbox cannot use the directory at all, as the end of a sentence, such as "is a symbolic link". */
  flaw?: string;
  /** The error code from writing to the directory, or from creating it if it is missing. Absent if that worked. */
  unwritable?: string;
  /** True if only the owner can access the directory. */
  private: boolean;
  /** The permissions in octal, such as `700`. */
  rights: string;
  freeBytes: number;
};

export type BackupReport = { path: string; bytes: number; sessions: number; thoughts: number };

export type Progress = (done: number, total: number) => void;

/**
 * Lets people maintain a store. A store without `backup` is copied with its database's own tools. A store without
 * `reindex` updates the index in the transaction that writes.
 */
export interface LedgerUpkeep {
  /** Returns session IDs that begin with `prefix`, newest first, without sessions in the trash. */
  findSessionIds(prefix: string, limit: number): Promise<string[]>;
  /** Lists every project that has a session or a note, sorted. */
  listProjects(): Promise<string[]>;
  /** Checks the store. Reads everything once, which takes a while for a large store. `signal` cancels it. */
  inspect(signal?: AbortSignal): Promise<StoreInspection>;
  /**
   * Makes a consistent copy of everything while others continue writing. The copy contains whatever was acknowledged
   * before the call. Never overwrites. When the promise resolves, the copy is private, on disk and verified. A
   * cancelled backup leaves no file.
   */
  backup?(path: string, signal?: AbortSignal): Promise<BackupReport>;
  /** Rewrites the store's files to remove erased data that may still be in them. */
  scrub?(): Promise<void>;
  /**
   * Rebuilds the full-text index while searches wait. If it is aborted, the next search indexes the rest.
   * `nodes` counts versions of the memory's nodes.
   */
  reindex?(progress: Progress, signal?: AbortSignal): Promise<{ thoughts: number; nodes: number }>;
}

export type TrashedKind = "session" | "pattern" | "scratchpad" | "notebook" | "branch";

export type TrashedThing = {
  kind: TrashedKind;
  id: string;
  title: string;
  /** The item's project or, for a branch, its workspace. */
  place: string;
  deletedAt: string;
};

export type EmptiedTrash = {
  sessions: { id: string; project: string }[];
  notebooks: { id: string; project: string }[];
  notes: number;
};

type TrashedNote = { project: string; note: Note; deletedAt: string };

/** The deleted items of all projects. Operations cannot reach the trash. Only a person can empty it. */
export interface Trash {
  /** Lists the trash, most recently deleted first. */
  listTrash(limit: number): Promise<{ things: TrashedThing[]; total: number }>;
  /**
   * Erases the sessions, notebooks and knowledge notes in the trash, each in its own transaction. Deleted branches in
   * the memory are kept, because other branches may depend on them.
   */
  emptyTrash(): Promise<EmptiedTrash>;
  /** Erases those of the given sessions that are in the trash. */
  eraseSessions(sessionIds: readonly string[]): Promise<EmptiedTrash["sessions"]>;

  /** Returns a session in the trash, to move it to another store, or `undefined` if it is not there. */
  readTrashedSession(sessionId: string): Promise<TrashedSession | undefined>;
  /** Like `readStride` and `readCritiqueChain` in LedgerStore, but for a session in the trash. */
  readTrashedStride: LedgerStore["readStride"];
  readTrashedCritiques(sessionId: string): Promise<CritiqueChain>;
  /** Lists knowledge notes as they were when deleted, in a fixed order. */
  listTrashedNotes(limit: number, offset: number): Promise<TrashedNote[]>;
  /** Adds a note to the trash. Returns false if the store has a note with this ID, deleted or not. */
  addTrashedNote(trashed: TrashedNote): Promise<boolean>;
}
