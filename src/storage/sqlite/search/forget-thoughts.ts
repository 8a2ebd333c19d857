import { toStems } from "../../../domain/search/words/words.ts";
import type { Connection } from "../connection/open-database.ts";

/** Takes a session's thoughts out of the index, which has no contents of its own and must be told what it held. */
export function forgetThoughts({ sql }: Connection, sid: number): void {
  const indexed = sql(
    `SELECT t.seq, t.thought FROM thoughts t JOIN text_words_docsize d ON d.id = t.seq WHERE t.sid = ?`,
  ).all(sid);
  const forget = sql(
    "INSERT INTO text_words (text_words, rowid, place, text) VALUES ('delete', ?, 's' || ?, ?)",
  );
  for (const { seq = 0, thought } of indexed) forget.run(seq, sid, toStems(String(thought)));
  sql("DELETE FROM typed_thoughts WHERE seq IN (SELECT seq FROM thoughts WHERE sid = ?)").run(sid);
}
