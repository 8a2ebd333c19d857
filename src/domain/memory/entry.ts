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

/** What an entry says about its place in a sequence, without its text. */
export type EntryMark = { seq: number; format?: string | undefined; meta?: Meta | undefined };

export type EntryKind = "note" | "event";

export type NewEntry = Pick<Entry, "kind" | "content"> & {
  [Field in "title" | "format" | "agent_id"]?: string | undefined;
} & { meta?: Meta | undefined };

/** A commit as callers name it: `notes@12`. No branch or tag can be called that. */
export const formatRef = ({ doc, seq }: { doc: string; seq: number }): string => `${doc}@${seq}`;

const commitForm = /^([A-Za-z0-9][A-Za-z0-9._-]{0,127})@(\d{1,15})$/;

/** A branch, a tag, or a commit. */
export const refPattern =
  /^(?:(?!\/)(?!.*\.\.)[A-Za-z0-9._/-]{1,128}|[A-Za-z0-9][A-Za-z0-9._-]{0,127}@\d{1,15})$/;

/** A number alone: a commit, if no branch or tag has that name. */
export const bareSeq = (text: string): number | undefined =>
  /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** `undefined` for the names of branches and tags. */
export function parseRef(text: string): { doc: string; seq: number } | undefined {
  const [, doc, seq] = commitForm.exec(text) ?? [];
  return doc === undefined ? undefined : { doc, seq: Number(seq) };
}
