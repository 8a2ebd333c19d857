/**
 * The indexes contain the stems that the domain derives from texts, separated by spaces. The `ascii`
 * tokenizer splits at spaces and keeps all other characters. Thoughts and notes in the memory share one
 * index, which records each thought's session in `place`. Ranking needs to know how much text there is.
 * Triggers count it per project, so that no write is left out. A write is acknowledged before its text is
 * indexed. Thoughts and notes are indexed up to `indexed_seq`, and nodes up to `graph_indexed_seq`. Indexing
 * also records which thoughts have a type, which entries are notes, and how many notes there are.
 *
 * `graph_stale_words` lists versions that no reader sees but whose words are still indexed.
 * `graph_words_terms` lists the indexed words in order, without storing anything.
 */
export const searchTables = `
  CREATE VIRTUAL TABLE text_words USING fts5 (place, text, content = '', tokenize = 'ascii');
  CREATE VIRTUAL TABLE session_words USING fts5 (title, description, tags, tokenize = 'ascii');
  CREATE VIRTUAL TABLE note_words USING fts5 (title, description, content, tags, tokenize = 'ascii');
  CREATE VIRTUAL TABLE graph_words USING fts5 (place, title, text, content = '', tokenize = 'ascii');
  CREATE VIRTUAL TABLE graph_words_terms USING fts5vocab (graph_words, instance);
  CREATE TABLE graph_stale_words (seq INTEGER PRIMARY KEY);
  CREATE TABLE typed_thoughts (seq INTEGER PRIMARY KEY);
  CREATE TABLE searchable_notes (seq INTEGER PRIMARY KEY);
  CREATE TRIGGER note_forgotten AFTER DELETE ON memory_entries BEGIN
    DELETE FROM searchable_notes WHERE seq = OLD.seq;
  END;

  CREATE TABLE project_totals (
    project TEXT PRIMARY KEY,
    sessions INTEGER NOT NULL,
    thoughts INTEGER NOT NULL,
    in_trash INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TRIGGER session_counted AFTER INSERT ON sessions BEGIN ${add("NEW", 1)} END;
  CREATE TRIGGER session_recounted AFTER UPDATE OF project, counted, deleted_at ON sessions BEGIN
    ${add("OLD", -1)} ${add("NEW", 1)}
  END;
  CREATE TRIGGER session_uncounted AFTER DELETE ON sessions BEGIN ${add("OLD", -1)} END;

  CREATE TABLE note_totals (wid INTEGER PRIMARY KEY, notes INTEGER NOT NULL);
  CREATE TRIGGER notes_recounted AFTER UPDATE OF deleted_at_ms ON memory_branches
    WHEN (OLD.deleted_at_ms IS NULL) <> (NEW.deleted_at_ms IS NULL) BEGIN
    UPDATE note_totals SET notes = notes + iif(NEW.deleted_at_ms IS NULL, 1, -1) *
      (SELECT count(*) FROM memory_docs d JOIN memory_entries e USING (doc)
       WHERE d.wid = NEW.wid AND e.bid = NEW.bid AND e.kind = 'note' AND e.origin = e.seq AND e.seq <=
         (SELECT value FROM counters WHERE name = 'indexed_seq')) WHERE wid = NEW.wid;
  END;
`;

function add(row: "OLD" | "NEW", sign: 1 | -1): string {
  const live = `(${row}.deleted_at IS NULL)`;
  return `INSERT INTO project_totals VALUES
      (${row}.project, ${sign} * ${live}, ${sign} * ${live} * ${row}.counted, ${sign} * NOT ${live})
    ON CONFLICT (project) DO UPDATE SET sessions = sessions + excluded.sessions,
      thoughts = thoughts + excluded.thoughts, in_trash = in_trash + excluded.in_trash;`;
}
