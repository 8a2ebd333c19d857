import type { Migration } from "./migration.ts";

/**
 * What a thought does not have to write before it is acknowledged.
 *
 * - Its number: thoughts carry theirs, so the counter holds the last number of anything else. A server of an earlier
 *   version would give out numbers that thoughts have, and is refused.
 * - Its session's place in listings: those are ordered by ten minutes at a time, and within them when they are read.
 * - What can be searched: the totals, and which thoughts have a type, follow with the index of words.
 */
export const leanAppends: Migration = {
  apply: (db) =>
    db.exec(`
  CREATE TRIGGER numbers_of_thoughts_are_taken BEFORE UPDATE OF value ON counters
  WHEN NEW.name = 'seq' AND NEW.value <= (SELECT max(seq) FROM thoughts) BEGIN
    SELECT RAISE(ABORT, 'this store needs a newer version of Thoughtbox');
  END;

  DROP INDEX sessions_by_update;
  ALTER TABLE sessions ADD COLUMN updated_slot TEXT NOT NULL DEFAULT '';
  UPDATE sessions SET updated_slot = ${slotOf("updated_at")};
  CREATE INDEX sessions_by_update ON sessions (project, updated_slot) WHERE deleted_at IS NULL;
  CREATE TRIGGER session_placed AFTER INSERT ON sessions BEGIN
    UPDATE sessions SET updated_slot = ${slotOf("NEW.updated_at")} WHERE sid = NEW.sid;
  END;
  CREATE TRIGGER session_moved AFTER UPDATE OF updated_at ON sessions
  WHEN NEW.updated_slot <> ${slotOf("NEW.updated_at")} BEGIN
    UPDATE sessions SET updated_slot = ${slotOf("NEW.updated_at")} WHERE sid = NEW.sid;
  END;

  ALTER TABLE sessions ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
  DROP TRIGGER session_recounted;
  DROP TRIGGER session_uncounted;
  DROP TRIGGER session_counted;
  UPDATE sessions SET counted = thought_count;
  CREATE TRIGGER session_counted AFTER INSERT ON sessions BEGIN ${add("NEW", 1)} END;
  CREATE TRIGGER session_recounted AFTER UPDATE OF project, counted, deleted_at ON sessions BEGIN
    ${add("OLD", -1)} ${add("NEW", 1)}
  END;
  CREATE TRIGGER session_uncounted AFTER DELETE ON sessions BEGIN ${add("OLD", -1)} END;

  CREATE TABLE typed_thoughts (seq INTEGER PRIMARY KEY);
  INSERT INTO typed_thoughts SELECT seq FROM thoughts WHERE cipher_types IS NOT NULL
    AND seq <= (SELECT value FROM counters WHERE name = 'indexed_seq');
  DROP INDEX thoughts_with_type;
  `),
};

/** The first characters of an ISO time, down to the tens of minutes. */
function slotOf(column: string): string {
  return `substr(${column}, 1, 15)`;
}

function add(row: "OLD" | "NEW", sign: 1 | -1): string {
  const live = `(${row}.deleted_at IS NULL)`;
  return `INSERT INTO project_totals VALUES
      (${row}.project, ${sign} * ${live}, ${sign} * ${live} * ${row}.counted, ${sign} * NOT ${live})
    ON CONFLICT (project) DO UPDATE SET sessions = sessions + excluded.sessions,
      thoughts = thoughts + excluded.thoughts, in_trash = in_trash + excluded.in_trash;`;
}
