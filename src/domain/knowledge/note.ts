import * as z from "zod";
import { canonicalJson } from "../../kernel/json/canonical-json.ts";
import { maskForExport } from "../../kernel/secrets/secrets-policy.ts";
import { sha256Hex } from "../../kernel/sha256.ts";

export const noteIdPattern = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

export const knowledgeLimits = { description: 1_000, content: 256 * 1024, sessions: 100 } as const;

/** A lesson to keep. The contract calls a pattern `KnowledgePattern`. */
export const patternSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  content: z.string(),
  derivedFromSessions: z.array(z.string()),
  createdBy: z.string().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Pattern = z.infer<typeof patternSchema>;

/** Work in progress that several agents share, by topic. The contract calls such a note `ScratchpadNote`. */
export const scratchpadSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  content: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type ScratchpadNote = z.infer<typeof scratchpadSchema>;

export type NoteKind = "pattern" | "scratchpad";

/** Both kinds as stored: a scratchpad note is a pattern without description, tags and sources. */
export type Note = Pattern & { kind: NoteKind };

export const revisionPattern = /^[0-9a-f]{12}$/;

/** Returns the revision of a note, which depends on its content but not on its author or times. */
export function revisionOf({ title, description, tags, content, derivedFromSessions }: Note): string {
  const said = { title, description, tags, content, derivedFromSessions };
  return sha256Hex(canonicalJson(said)).slice(0, 12);
}

/** Returns the note to store, or `undefined` if its ID is taken. `there` is the stored note with that ID. */
export const decideCreateNote = (there: Note | undefined, note: Note): Note | undefined =>
  there ? undefined : note;

/** Returns the note to store. The new note keeps the `createdAt` of the note that it replaces. */
export const decidePutNote = (there: Note | undefined, note: Note): Note => ({
  ...note,
  createdAt: there?.createdAt ?? note.createdAt,
});

/** Returns the note to store, or `undefined` if there is no note with this revision. */
export const decideReplaceNote = (there: Note | undefined, note: Note, revision: string): Note | undefined =>
  there && revisionOf(there) === revision ? decidePutNote(there, note) : undefined;

export function toPattern({ kind: _kind, ...pattern }: Note): Pattern {
  return pattern;
}

export function toScratchpad({ id, title, content, createdAt, updatedAt }: Note): ScratchpadNote {
  return { id, title, content, createdAt, updatedAt };
}

const longest = 64;
const markLength = 10;

/** Matches letters and digits that slugs omit. Titles that differ only in these would get the same slug. */
const untranslatable = /(?![\p{Script=Latin}0-9])[\p{L}\p{N}\p{So}]/u;

/**
 * Converts a title to an ID: lower case, dashes, at most 64 characters, or "untitled" if nothing remains. A title in
 * another script, or with a secret, gets a unique suffix, so that two topics never overwrite each other.
 */
export function slugify(title: string): string {
  const shown = maskForExport(title);
  const isMarked = shown !== title || untranslatable.test(title);
  const mark = isMarked ? sha256Hex(normal(title)).slice(0, markLength) : "";
  const slug = shown
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, mark === "" ? longest : longest - markLength - 1)
    .replace(/-+$/, "");
  if (mark !== "") return `${slug || "note"}-${mark}`;
  return slug === "" ? "untitled" : slug;
}

const normal = (title: string): string => title.normalize("NFKC").toLowerCase().trim();
