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

/** What was deleted in any project. No operation reaches this: only a person at the command line empties it. */
export interface Trash {
  /** The latest first. */
  listTrash(limit: number): Promise<{ things: TrashedThing[]; total: number }>;
  /**
   * Erases sessions, notebooks and notes of the knowledge zone that lie in the trash, each in a transaction of its own.
   * Deleted branches of the memory stay: others may rest on what they hold.
   */
  emptyTrash(): Promise<EmptiedTrash>;
}
