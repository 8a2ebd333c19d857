import type { Connection } from "../connection/open-database.ts";

const wordTables = ["thought_words", "session_words", "note_words", "graph_words"] as const;

/**
 * Drops the full-text tables, however damaged they are, and makes them again as the schema says. Titles and
 * notes are few and filled in at once; thoughts and graphs follow in batches, as after any write.
 */
export function resetWords({ db, sql }: Connection): void {
  for (const table of wordTables) {
    const schema = sql("SELECT sql FROM sqlite_schema WHERE name = ?").get(table)?.["sql"];
    db.exec(`DROP TABLE ${table}`);
    db.exec(String(schema));
  }
  db.exec(`
    INSERT INTO session_words (rowid, title, description, tags)
      SELECT sid, title, coalesce(description, ''), ${joined("sessions.tags")} FROM sessions;
    INSERT INTO note_words (rowid, title, description, content, tags)
      SELECT nid, title, description, content, ${joined("notes.tags")} FROM notes WHERE deleted_at IS NULL;
    UPDATE counters SET value = 0 WHERE name IN ('indexed_seq', 'graph_indexed_seq');
  `);
}

const joined = (column: string): string =>
  `coalesce((SELECT group_concat(value, ' ') FROM json_each(${column})), '')`;
