import * as z from "zod";

export const noteIdPattern = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

export const knowledgeLimits = { description: 1_000, content: 256 * 1024, sessions: 100 } as const;

/** What was learned and is worth keeping; `KnowledgePattern` of the contract. */
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

/** Work in progress that several agents share, by topic; `ScratchpadNote` of the contract. */
export const scratchpadSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  content: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type ScratchpadNote = z.infer<typeof scratchpadSchema>;

export type NoteKind = "pattern" | "scratchpad";

/** Both kinds as they are kept: a scratchpad note is a pattern without description, tags and sources. */
export type Note = Pattern & { kind: NoteKind };

export function toPattern({ kind: _kind, ...pattern }: Note): Pattern {
  return pattern;
}

export function toScratchpad({ id, title, content, createdAt, updatedAt }: Note): ScratchpadNote {
  return { id, title, content, createdAt, updatedAt };
}
