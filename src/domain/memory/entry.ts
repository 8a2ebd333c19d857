export type Meta = Record<string, unknown>;

/** One entry of a document, as every reader sees it. */
export type Entry = {
  seq: number;
  ts: string;
  ts_ms: number;
  branch: string;
  doc: string;
  kind: EntryKind;
  title?: string;
  format?: string;
  meta?: Meta;
  content: string;
  agent_id?: string;
  /** What makes a second arrival of the same thing a repetition: `merge:<branch>:<seq>`. */
  source_event_id?: string;
};

export type EntryKind = "note" | "event";

export type NewEntry = Pick<Entry, "kind" | "content"> & {
  [Field in "title" | "format" | "agent_id"]?: string | undefined;
} & { meta?: Meta | undefined };
