import { thinkCardFormat } from "../../domain/memory/cards/decide-cards.ts";
import { thoughtSourcePrefix } from "../../domain/memory/merge/merge-notes.ts";
import type { Heading, ShownHit } from "../../domain/search/source.ts";
import type { Row } from "./row.ts";

/** The limits of a search: characters to read, texts per session, and matches to count in other projects. */
export const searchLimits = {
  /**
   * The number of characters of a text to read: enough to find words that are close together. Reading a whole
   * mebibyte of text would take too long.
   */
  readChars: 32_768,
  /** The maximum number of texts per session to search for a word. */
  perSession: 200,
  /**
   * The maximum numbers of matches to check and to count in other projects. The count is only a hint and must
   * cost almost nothing.
   */
  elsewhere: { checked: 2_000, counted: 100 },
};

export const headingColumns = "s.sid, s.title, coalesce(s.description, '') AS description, s.tags";

export const decodeHeading = (row: Row): Heading => ({
  sid: Number(row["sid"]),
  title: String(row["title"]),
  description: String(row["description"]),
  tags: String(row["tags"]),
});

export function decodeNoteHit(row: Row): ShownHit {
  const text = (column: string) => String(row[column]);
  return {
    note: {
      seq: Number(row["seq"]),
      workspace: text("workspace"),
      branch: text("branch"),
      doc: text("doc"),
      ...(row["title"] !== null && { title: text("title") }),
    },
    timestamp: new Date(Number(row["ts_ms"])).toISOString(),
    beginning: text("text"),
  };
}

type NoteScope = {
  wid: number;
  project?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
};

/**
 * Returns the condition for notes on existing branches. Excludes the trace entries of cards, because the cards
 * themselves are found. A copy made by a merge is found only if its original is gone, and a copy of a thought only if
 * the original's session is not searched. `e` is the entry, `d` its document and `b` its branch.
 */
export function noteCondition(
  { wid, project, since, until }: NoteScope,
  table: (name: string) => string,
): { where: string; values: (string | number)[] } {
  const prefix = thoughtSourcePrefix.length;
  const parts = [
    "d.wid = ?",
    "e.kind = 'note'",
    `e.format IS DISTINCT FROM '${thinkCardFormat}'`,
    "b.deleted_at_ms IS NULL",
    `(e.origin = e.seq OR NOT EXISTS (SELECT 1 FROM ${table("memory_entries")} o
      JOIN ${table("memory_branches")} ob ON ob.bid = o.bid
      WHERE o.seq = e.origin AND ob.deleted_at_ms IS NULL))`,
    `NOT (coalesce(substr(e.source_event_id, 1, ${prefix}) = '${thoughtSourcePrefix}', false) AND EXISTS (
      SELECT 1 FROM ${table("sessions")} os WHERE os.id = substr(e.source_event_id, ${prefix + 1}, 36)
      AND os.deleted_at IS NULL${project === undefined ? "" : " AND os.project = ?"}))`,
  ];
  const values: (string | number)[] = [wid];
  if (project !== undefined) values.push(project);
  const add = (part: string, time: string) => {
    parts.push(part);
    values.push(Date.parse(time));
  };
  if (since !== undefined) add("e.ts_ms >= ?", since);
  if (until !== undefined) add("e.ts_ms <= ?", until);
  return { where: parts.join(" AND "), values };
}
