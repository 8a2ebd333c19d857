import {
  decideCreateNote,
  decidePutNote,
  decideReplaceNote,
  type Note,
  type NoteKind,
} from "../../../domain/knowledge/note.ts";
import { onceScopes, requireResult } from "../../../domain/ledger/requests.ts";
import { toStems } from "../../../domain/search/words/words.ts";
import type { KnowledgeStore, NoteFilter, NoteKey, NotePage } from "../../../ports/knowledge-store.ts";
import { decodeNote, noteColumns } from "../../rows/ledger-rows.ts";
import type { WithConnection } from "../connection/access.ts";
import type { SqlValue } from "../connection/driver.ts";
import { recallOutcome, rememberOutcome } from "../connection/idempotency.ts";
import type { Connection } from "../connection/open-database.ts";
import { nextSeq } from "../connection/sequence.ts";
import { insertRow } from "../connection/statements.ts";
import { matchWords } from "../search/words.ts";

export function createKnowledgeStore(read: WithConnection, write: WithConnection): KnowledgeStore {
  return {
    createNote: (project, note, once) =>
      write((connection) => {
        const scope = onceScopes.knowledgeOf(project);
        const earlier = recallOutcome<{ id: string }>(connection, scope, once);
        if (earlier) return requireResult(selectNote(connection, project, note.kind, earlier.id), "note");
        const stored = storeNote(connection, project, note, (there) => decideCreateNote(there, note));
        if (stored) rememberOutcome(connection, scope, once, { id: note.id }, note.createdAt);
        return stored;
      }),
    putNote: (project, note) =>
      write((connection) => storeNote(connection, project, note, (there) => decidePutNote(there, note))),
    replaceNote: (project, note, revision) =>
      write((connection) =>
        storeNote(connection, project, note, (there) => decideReplaceNote(there, note, revision)),
      ),
    changeNote: (project, key, change) =>
      write((connection) => storeNote(connection, project, key, (there) => there && change(there))),
    readNote: (project, kind, id) => read((connection) => selectNote(connection, project, kind, id)),
    listNotes: (filter) => read((connection) => selectNotes(connection, filter)),
    listNoteTags: (project) => read((connection) => selectTags(connection, project)),
    deleteNote: (project, kind, id, at) =>
      write((connection) => deleteNote(connection, project, { kind, id }, at)),
    restoreNote: (project, kind, id) =>
      write((connection) => {
        if (selectNote(connection, project, kind, id)) return undefined;
        const { sql } = connection;
        const row = sql(
          "SELECT * FROM notes WHERE project = ? AND kind = ? AND id = ? ORDER BY nid DESC",
        ).get(project, kind, id);
        if (!row) return undefined;
        sql("UPDATE notes SET deleted_at = NULL WHERE nid = ?").run(row["nid"] ?? 0);
        indexNote(connection, Number(row["nid"]), decodeNote(row));
        return decodeNote(row);
      }),
  };
}

function selectNote({ sql }: Connection, project: string, kind: NoteKind, id: string): Note | undefined {
  const row = sql("SELECT * FROM notes WHERE project = ? AND kind = ? AND id = ? AND deleted_at IS NULL").get(
    project,
    kind,
    id,
  );
  return row && decodeNote(row);
}

/** Stores a changed note as a new row and marks the old row as deleted, so nothing is ever overwritten. */
function storeNote<Stored extends Note | undefined>(
  connection: Connection,
  project: string,
  { kind, id }: NoteKey,
  decide: (there: Note | undefined) => Stored,
): Stored {
  const stored = decide(selectNote(connection, project, kind, id));
  if (!stored) return stored;
  deleteNote(connection, project, stored, stored.updatedAt);
  indexNote(connection, insertNote(connection, project, stored, null), stored);
  return stored;
}

/** Marks a note as deleted. Returns false if there is no such note. */
function deleteNote({ sql }: Connection, project: string, { kind, id }: NoteKey, at: string): boolean {
  const row = sql(
    "SELECT nid FROM notes WHERE project = ? AND kind = ? AND id = ? AND deleted_at IS NULL",
  ).get(project, kind, id);
  if (!row) return false;
  sql("UPDATE notes SET deleted_at = ? WHERE nid = ?").run(at, row["nid"] ?? 0);
  sql("DELETE FROM note_words WHERE rowid = ?").run(row["nid"] ?? 0);
  return true;
}

export function insertNote(
  connection: Connection,
  project: string,
  note: Note,
  deletedAt: string | null,
): number {
  const nid = nextSeq(connection);
  insertRow(connection, "notes", { nid, ...noteColumns(project, note), deleted_at: deletedAt });
  return nid;
}

function indexNote({ sql }: Connection, nid: number, note: Note): void {
  sql("INSERT INTO note_words (rowid, title, description, content, tags) VALUES (?, ?, ?, ?, ?)").run(
    nid,
    ...[note.title, note.description, note.content, note.tags.join(" ")].map((text) => toStems(text)),
  );
}

const sortColumns = { createdAt: "created_at", updatedAt: "updated_at", title: "title COLLATE NOCASE" };

function selectNotes({ sql }: Connection, filter: NoteFilter): NotePage {
  const parts = ["project = ?", "kind = ?", "deleted_at IS NULL"];
  const values: SqlValue[] = [filter.project, filter.kind];
  for (const tag of filter.tags ?? []) {
    parts.push("EXISTS (SELECT 1 FROM json_each(notes.tags) WHERE value = ?)");
    values.push(tag);
  }
  if (filter.search !== undefined) {
    parts.push("nid IN (SELECT rowid FROM note_words WHERE note_words MATCH ?)");
    values.push(matchWords(filter.search, "prefix") ?? '""');
  }
  const where = parts.join(" AND ");
  const direction = filter.sortOrder === "asc" ? "ASC" : "DESC";
  const total = sql(`SELECT count(*) AS total FROM notes WHERE ${where}`).get(...values);
  const rows = sql(
    `SELECT * FROM notes WHERE ${where} ORDER BY ${sortColumns[filter.sortBy]} ${direction}, nid ${direction} LIMIT ? OFFSET ?`,
  ).all(...values, filter.limit, filter.offset);
  return { notes: rows.map(decodeNote), total: Number(total?.["total"] ?? 0) };
}

function selectTags({ sql }: Connection, project: string): { name: string; count: number }[] {
  return sql(`SELECT tag.value AS name, count(*) AS count FROM notes, json_each(notes.tags) AS tag
    WHERE project = ? AND kind = 'pattern' AND deleted_at IS NULL GROUP BY tag.value ORDER BY count(*) DESC, tag.value LIMIT 500`)
    .all(project)
    .map((row) => ({ name: String(row["name"]), count: Number(row["count"]) }));
}
