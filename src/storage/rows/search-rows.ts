import type { Heading, ShownHit } from "../../domain/search/source.ts";
import type { Row } from "./row.ts";

/** Which part of a text is read, how many texts are searched per session, and how many are counted elsewhere. */
export const searchLimits = {
  /** The beginning of a text is enough to find words that are close together. A mebibyte would take too long. */
  readChars: 32_768,
  /** How many texts per session are searched for a word. */
  perSession: 200,
  /**
   * How many matches are checked, and how many are counted at most. The count is only a hint and must cost almost
   * nothing.
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
