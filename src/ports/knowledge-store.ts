import type { Note, NoteKind } from "../domain/knowledge/note.ts";
import type { Once } from "../domain/ledger/requests.ts";

export type NoteFilter = {
  project: string;
  kind: NoteKind;
  tags?: readonly string[] | undefined;
  /** Words that title, description or content must contain. */
  search?: string | undefined;
  limit: number;
  offset: number;
  sortBy: "createdAt" | "updatedAt" | "title";
  sortOrder: "asc" | "desc";
};

export type NotePage = { notes: Note[]; total: number };

/** The knowledge zone of a project: patterns and scratchpad notes, by id. Writes resolve after the commit. */
export interface KnowledgeStore {
  /** `undefined` when the id is taken. */
  createNote(project: string, note: Note, once: Once | undefined): Promise<Note | undefined>;
  /** Creates or replaces; an existing note keeps its `createdAt`. */
  putNote(project: string, note: Note): Promise<Note>;
  /** Replaces the note that has this revision; `undefined`, and nothing changed, if it has another one or is gone. */
  replaceNote(project: string, note: Note, revision: string): Promise<Note | undefined>;
  readNote(project: string, kind: NoteKind, id: string): Promise<Note | undefined>;
  listNotes(filter: NoteFilter): Promise<NotePage>;
  /** Tags in use, with how many patterns carry each, most used first. */
  listNoteTags(project: string): Promise<{ name: string; count: number }[]>;
  /** False when there was none. The note is no longer listed, but its row stays. */
  deleteNote(project: string, kind: NoteKind, id: string, at: string): Promise<boolean>;
  /** Brings back the newest that was deleted; `undefined` when there is none, or the id is in use again. */
  restoreNote(project: string, kind: NoteKind, id: string): Promise<Note | undefined>;
}
