import type { Note, NoteKind } from "../domain/knowledge/note.ts";
import type { Once } from "../domain/ledger/requests.ts";

/** Identifies a note within its project. */
export type NoteKey = Pick<Note, "kind" | "id">;

export type NoteFilter = {
  project: string;
  kind: NoteKind;
  tags?: readonly string[] | undefined;
  /** Words that the title, description or content must contain. */
  search?: string | undefined;
  limit: number;
  offset: number;
  sortBy: "createdAt" | "updatedAt" | "title";
  sortOrder: "asc" | "desc";
};

export type NotePage = { notes: Note[]; total: number };

/** Stores each project's knowledge: patterns and scratchpad notes, by ID. Writes resolve after the commit. */
export interface KnowledgeStore {
  /** Creates a note. Returns `undefined` if the ID is taken. */
  createNote(project: string, note: Note, once: Once | undefined): Promise<Note | undefined>;
  /** Creates or replaces the note. An existing note keeps its `createdAt`. */
  putNote(project: string, note: Note): Promise<Note>;
  /**
   * Replaces the note if it has this revision. If the note has another revision, changes nothing and returns
   * `undefined`.
   */
  replaceNote(project: string, note: Note, revision: string): Promise<Note | undefined>;
  /**
   * Changes a note in one transaction. `change` returns the new state for the current one. Returns
   * `undefined` if the note does not exist. If `change` throws, nothing changes.
   */
  changeNote(project: string, key: NoteKey, change: (note: Note) => Note): Promise<Note | undefined>;
  readNote(project: string, kind: NoteKind, id: string): Promise<Note | undefined>;
  listNotes(filter: NoteFilter): Promise<NotePage>;
  /** Lists the tags in use and how many patterns have each one, most used first. */
  listNoteTags(project: string): Promise<{ name: string; count: number }[]>;
  /**
   * Deletes a note. Returns false if the note does not exist. A deleted note is no longer listed, but its row
   * is kept.
   */
  deleteNote(project: string, kind: NoteKind, id: string, at: string): Promise<boolean>;
  /**
   * Restores the most recently deleted note with this ID. Returns `undefined` if there is none, or if another
   * note now uses the ID.
   */
  restoreNote(project: string, kind: NoteKind, id: string): Promise<Note | undefined>;
}
