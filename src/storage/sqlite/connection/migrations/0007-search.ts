import { fillHeadings } from "../../search/reindex.ts";
import type { Migration } from "./migration.ts";

/**
 * Thoughts and notes of the memory share one index, which knows the session of each (`place`) and scripts without
 * spaces; titles, knowledge and graphs are indexed anew for the same reason. What there is to search is counted for each
 * project by triggers, so that no path that writes can forget it: ranking asks for it at every search. So are the notes of a workspace.
 */
export const search: Migration = {
  apply(db) {
    db.exec(`
  DROP TABLE thought_words;
  DROP TABLE session_words;
  DROP TABLE note_words;
  DROP TABLE graph_words;
  CREATE VIRTUAL TABLE text_words USING fts5 (place, text, content = '', tokenize = 'porter unicode61');
  CREATE VIRTUAL TABLE session_words USING fts5 (title, description, tags, tokenize = 'porter unicode61');
  CREATE VIRTUAL TABLE note_words USING fts5 (title, description, content, tags, tokenize = 'porter unicode61');
  CREATE VIRTUAL TABLE graph_words USING fts5 (place, title, text, content = '', tokenize = 'porter unicode61');
  DELETE FROM graph_stale_words;
  UPDATE counters SET value = 0 WHERE name IN ('indexed_seq', 'graph_indexed_seq');

  CREATE INDEX sessions_by_project ON sessions (project) WHERE deleted_at IS NULL;
  CREATE INDEX thoughts_with_type ON thoughts (seq) WHERE cipher_types IS NOT NULL;
  CREATE INDEX memory_notes ON memory_entries (seq) WHERE kind = 'note';

  CREATE TABLE project_totals (
    project TEXT PRIMARY KEY,
    sessions INTEGER NOT NULL,
    thoughts INTEGER NOT NULL,
    in_trash INTEGER NOT NULL
  ) WITHOUT ROWID;
  INSERT INTO project_totals
    SELECT project, sum(deleted_at IS NULL), sum((deleted_at IS NULL) * thought_count), sum(deleted_at IS NOT NULL)
    FROM sessions GROUP BY project;
  CREATE TRIGGER session_counted AFTER INSERT ON sessions BEGIN ${add("NEW", 1)} END;
  CREATE TRIGGER session_recounted AFTER UPDATE OF project, thought_count, deleted_at ON sessions BEGIN
    ${add("OLD", -1)} ${add("NEW", 1)}
  END;
  CREATE TRIGGER session_uncounted AFTER DELETE ON sessions BEGIN ${add("OLD", -1)} END;

  CREATE TABLE note_totals (wid INTEGER PRIMARY KEY, notes INTEGER NOT NULL);
  INSERT INTO note_totals SELECT wid, count(*) FROM memory_entries e JOIN memory_branches b USING (bid)
    WHERE ${originals} AND b.deleted_at_ms IS NULL GROUP BY wid;
  CREATE TRIGGER note_counted AFTER INSERT ON memory_entries WHEN NEW.kind = 'note' AND NEW.origin = NEW.seq BEGIN
    INSERT INTO note_totals SELECT wid, 1 FROM memory_docs WHERE doc = NEW.doc
    ON CONFLICT (wid) DO UPDATE SET notes = notes + 1;
  END;
  CREATE TRIGGER notes_recounted AFTER UPDATE OF deleted_at_ms ON memory_branches
    WHEN (OLD.deleted_at_ms IS NULL) <> (NEW.deleted_at_ms IS NULL) BEGIN
    UPDATE note_totals SET notes = notes + iif(NEW.deleted_at_ms IS NULL, 1, -1) *
      (SELECT count(*) FROM memory_docs d JOIN memory_entries e USING (doc)
       WHERE d.wid = NEW.wid AND e.bid = NEW.bid AND ${originals}) WHERE wid = NEW.wid;
  END;
  `);
    fillHeadings(db);
  },
};

/** Notes that are no copies made by a merge. */
const originals = "e.kind = 'note' AND e.origin = e.seq";

function add(row: "OLD" | "NEW", sign: 1 | -1): string {
  const live = `(${row}.deleted_at IS NULL)`;
  return `INSERT INTO project_totals VALUES
      (${row}.project, ${sign} * ${live}, ${sign} * ${live} * ${row}.thought_count, ${sign} * NOT ${live})
    ON CONFLICT (project) DO UPDATE SET sessions = sessions + excluded.sessions,
      thoughts = thoughts + excluded.thoughts, in_trash = in_trash + excluded.in_trash;`;
}
