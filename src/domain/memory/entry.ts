export type Meta = Record<string, unknown>;

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
  /** Identifies the origin, for example `merge:<branch>:<seq>`. An entry with the same origin is not added again. */
  source_event_id?: string;
};

/** An entry without its text. */
export type EntryMark = { seq: number; format?: string | undefined; meta?: Meta | undefined };

export type EntryKind = "note" | "event";

export type NewEntry = Pick<Entry, "kind" | "content"> & {
  [Field in "title" | "format" | "agent_id"]?: string | undefined;
} & { meta?: Meta | undefined };

/** Formats a commit as a ref, for example `notes@12`. No branch or tag can have such a name. */
export const formatRef = ({ doc, seq }: { doc: string; seq: number }): string => `${doc}@${seq}`;

const commitForm = /^([A-Za-z0-9][A-Za-z0-9._-]{0,127})@(\d{1,15})$/;

/** Matches the name of a branch or tag, or the ref of a commit. */
export const refPattern =
  /^(?:(?!\/)(?!.*\.\.)[A-Za-z0-9._/-]{1,128}|[A-Za-z0-9][A-Za-z0-9._-]{0,127}@\d{1,15})$/;

/** Reads a bare number as a seq. If a branch or tag has that name, the name takes precedence. */
export const bareSeq = (text: string): number | undefined =>
  /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** Returns the document and the seq of a commit's ref, or `undefined` for a branch or tag name. */
export function parseRef(text: string): { doc: string; seq: number } | undefined {
  const [, doc, seq] = commitForm.exec(text) ?? [];
  return doc === undefined ? undefined : { doc, seq: Number(seq) };
}
