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
import type { Row } from "../../rows/row.ts";
import type { Connection, WithConnection, WithWrite, WriteConnection } from "../connection/access.ts";
import { recallOutcome, rememberOutcome } from "../connection/idempotency.ts";
import { insertRow } from "../connection/insert.ts";
import { nextSeq } from "../connection/sequence.ts";
import type { Value } from "../connection/statements.ts";
import { matchWords, toVectors } from "../search/vectors.ts";

export function createKnowledgeStore(read: WithConnection, write: WithWrite): KnowledgeStore {
  return {
    createNote: (project, note, once) =>
      write(async (connection) => {
        const scope = onceScopes.knowledgeOf(project);
        const earlier = await recallOutcome<{ id: string }>(connection, scope, once);
        if (earlier)
          return requireResult(await selectNote(connection, project, note.kind, earlier.id), "note");
        const stored = await storeNote(connection, project, note, (there) => decideCreateNote(there, note));
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
      write(async ({ sql }) => (await sql(deleteLive).run(at, project, kind, id)) > 0),
    restoreNote: (project, kind, id) =>
      write(async (connection) => {
        if (await selectNote(connection, project, kind, id)) return undefined;
        const row = await connection
          .sql("SELECT * FROM {notes} n WHERE project = ? AND kind = ? AND id = ? ORDER BY nid DESC LIMIT 1")
          .get(project, kind, id);
        if (!row) return undefined;
        await connection
          .sql("UPDATE notes SET deleted_at = NULL WHERE tenant = @tenant AND nid = ?")
          .run(row["nid"] ?? 0);
        return decodeNote(row);
      }),
  };
}

const deleteLive = `UPDATE notes SET deleted_at = ? WHERE tenant = @tenant AND project = ? AND kind = ? AND id = ?
  AND deleted_at IS NULL`;

async function selectNote(
  { sql }: Connection,
  project: string,
  kind: NoteKind,
  id: string,
): Promise<Note | undefined> {
  const row = await sql(
    "SELECT * FROM {notes} n WHERE project = ? AND kind = ? AND id = ? AND deleted_at IS NULL",
  ).get(project, kind, id);
  return row && decodeNote(row);
}

/** Stores a note as a new row. Marks the old row as deleted but keeps it, so nothing is ever overwritten. */
async function storeNote<Stored extends Note | undefined>(
  connection: WriteConnection,
  project: string,
  { kind, id }: NoteKey,
  decide: (there: Note | undefined) => Stored,
): Promise<Stored> {
  const { sql, send } = connection;
  const stored = decide(await selectNote(connection, project, kind, id));
  if (!stored) return stored;
  send(sql(deleteLive).run(stored.updatedAt, project, stored.kind, stored.id));
  insertNote(connection, project, stored, null);
  return stored;
}

/** Inserts a note's row. Call inside a write. */
export function insertNote(
  connection: WriteConnection,
  project: string,
  note: Note,
  deletedAt: string | null,
): void {
  insertRow(connection, "notes", {
    nid: nextSeq(connection),
    ...noteColumns(project, note),
    deleted_at: deletedAt,
    words: wordsOf(note),
  });
}

/**
 * Returns the words of a note that fit into one tsvector. Search finds a longer note only by its beginning.
 */
const wordsOf = ({ title, description, content, tags }: Note): string =>
  toVectors(...[title, description, tags.join(" "), content].map((text) => toStems(text)))[0] ?? "";

const sortColumns = {
  createdAt: "created_at",
  updatedAt: "updated_at",
  title: 'lower(title COLLATE "C")',
};

const hasTag = "EXISTS (SELECT 1 FROM json_array_elements_text(n.tags::json) g (tag) WHERE g.tag = ?)";

async function selectNotes({ sql }: Connection, filter: NoteFilter): Promise<NotePage> {
  const parts = ["project = ?", "kind = ?", "deleted_at IS NULL"];
  const values: Value[] = [filter.project, filter.kind];
  for (const tag of filter.tags ?? []) {
    parts.push(hasTag);
    values.push(tag);
  }
  if (filter.search !== undefined) {
    const words = matchWords(filter.search);
    parts.push(words === undefined ? "false" : "words @@ ?::tsquery");
    if (words !== undefined) values.push(words);
  }
  const where = parts.join(" AND ");
  const direction = filter.sortOrder === "asc" ? "ASC" : "DESC";
  const [total, rows] = await Promise.all([
    sql(`SELECT count(*) AS total FROM {notes} n WHERE ${where}`).get(...values),
    sql(
      `SELECT * FROM {notes} n WHERE ${where} ORDER BY ${sortColumns[filter.sortBy]} ${direction}, nid ${direction} LIMIT ? OFFSET ?`,
    ).all(...values, filter.limit, filter.offset),
  ]);
  return { notes: rows.map((row: Row) => decodeNote(row)), total: Number(total?.["total"] ?? 0) };
}

async function selectTags({ sql }: Connection, project: string): Promise<{ name: string; count: number }[]> {
  const rows = await sql(`SELECT g.tag AS name, count(*) AS count
    FROM {notes} n CROSS JOIN LATERAL json_array_elements_text(n.tags::json) g (tag)
    WHERE project = ? AND kind = 'pattern' AND deleted_at IS NULL
    GROUP BY g.tag ORDER BY count(*) DESC, g.tag COLLATE "C" LIMIT 500`).all(project);
  return rows.map((row) => ({ name: String(row["name"]), count: Number(row["count"]) }));
}
