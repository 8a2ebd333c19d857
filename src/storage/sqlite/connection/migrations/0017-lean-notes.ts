import type { Migration } from "./migration.ts";

/**
 * What an entry of the memory does not have to write before it is acknowledged.
 *
 * - Its number: entries carry theirs, as thoughts do. A server of an earlier version would give out numbers that entries
 *   have, and is refused.
 * - That it was appended: `appended_on`, the name of its branch at that time, says so to those who follow the store.
 * - What it is a copy of: only copies stand in the index.
 * - The newest entry of its workspace: it is looked up.
 * - What can be searched: which entries are notes, and how many, follow with the index of words.
 */
export const leanNotes: Migration = {
  apply: (db) =>
    db.exec(`
  CREATE TRIGGER numbers_of_entries_are_taken BEFORE UPDATE OF value ON counters
  WHEN NEW.name = 'seq' AND NEW.value <= (SELECT max(seq) FROM memory_entries) BEGIN ${refuse} END;
  CREATE TRIGGER thoughts_come_after_entries BEFORE INSERT ON thoughts
  WHEN NEW.seq <= (SELECT max(seq) FROM memory_entries) BEGIN ${refuse} END;

  ALTER TABLE memory_entries ADD COLUMN appended_on TEXT;
  ALTER TABLE memory_workspaces DROP COLUMN last_entry;
  DROP INDEX memory_entries_by_origin;
  CREATE INDEX memory_copies ON memory_entries (origin) WHERE origin <> seq;

  CREATE TABLE searchable_notes (seq INTEGER PRIMARY KEY);
  INSERT INTO searchable_notes
    SELECT seq FROM memory_entries INDEXED BY memory_notes WHERE kind = 'note' AND seq <= ${indexed};
  DROP INDEX memory_notes;
  CREATE TRIGGER note_forgotten AFTER DELETE ON memory_entries BEGIN
    DELETE FROM searchable_notes WHERE seq = OLD.seq;
  END;

  DROP TRIGGER note_counted;
  DROP TRIGGER notes_recounted;
  UPDATE note_totals SET notes = notes - (SELECT count(*) FROM memory_entries e JOIN memory_branches b USING (bid)
    WHERE b.wid = note_totals.wid AND b.deleted_at_ms IS NULL AND ${original} AND e.seq > ${indexed});
  CREATE TRIGGER notes_recounted AFTER UPDATE OF deleted_at_ms ON memory_branches
    WHEN (OLD.deleted_at_ms IS NULL) <> (NEW.deleted_at_ms IS NULL) BEGIN
    UPDATE note_totals SET notes = notes + iif(NEW.deleted_at_ms IS NULL, 1, -1) *
      (SELECT count(*) FROM memory_docs d JOIN memory_entries e USING (doc)
       WHERE d.wid = NEW.wid AND e.bid = NEW.bid AND ${original} AND e.seq <= ${indexed}) WHERE wid = NEW.wid;
  END;
  `),
};

const refuse = "SELECT RAISE(ABORT, 'this store needs a newer version of Thoughtbox');";
const indexed = "(SELECT value FROM counters WHERE name = 'indexed_seq')";
/** No copy made by a merge. */
const original = "e.kind = 'note' AND e.origin = e.seq";
