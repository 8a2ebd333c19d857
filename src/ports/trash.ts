import type { Note } from "../domain/knowledge/note.ts";
import type { CritiqueChain } from "../domain/ledger/chain/critique-chain.ts";
import type { TrashedSession } from "../domain/ledger/session.ts";
import type { LedgerStore } from "./ledger-store.ts";

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

export type TrashedNote = { project: string; note: Note; deletedAt: string };

/** What was deleted in any project. No operation reaches this: only a person at the command line empties it. */
export interface Trash {
  /** The latest first. */
  listTrash(limit: number): Promise<{ things: TrashedThing[]; total: number }>;
  /**
   * Erases sessions, notebooks and notes of the knowledge zone that lie in the trash, each in a transaction of its own.
   * Deleted branches of the memory stay: others may rest on what they hold.
   */
  emptyTrash(): Promise<EmptiedTrash>;

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
