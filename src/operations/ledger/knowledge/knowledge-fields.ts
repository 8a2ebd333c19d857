import * as z from "zod";
import { plain, quoted } from "../../../domain/export/markdown-document.ts";
import {
  knowledgeLimits,
  type Note,
  type NoteKind,
  noteIdPattern,
  revisionOf,
  revisionPattern,
} from "../../../domain/knowledge/note.ts";
import type { Recovery } from "../../../kernel/errors.ts";
import type { Fail, OperationContext } from "../../pipeline/context.ts";
import { agentId, limit, offset, sessionId, tags, title } from "../../pipeline/fields.ts";

export const noteId = z
  .string()
  .regex(noteIdPattern, "1–64 characters: a–z, 0–9 and -, with no - at either end")
  .describe("ID of the note, a slug.");

export const patternFields = {
  title,
  description: z
    .string()
    .min(1)
    .max(knowledgeLimits.description)
    .describe("What the pattern is about, in a sentence or two."),
  content: z.string().min(1).max(knowledgeLimits.content).describe("The whole pattern, in Markdown."),
  tags: tags.optional(),
  derivedFromSessions: z
    .array(sessionId)
    .max(knowledgeLimits.sessions)
    .optional()
    .describe("Sessions that the pattern was learned in."),
  createdBy: agentId.optional().describe("Agent that found the pattern."),
};

/** Quotes the text, so that nothing in it looks like text from Thoughtbox. */
export const toQuotedNote = (title: string, content: string): string =>
  `# ${plain(title)}\n\n${quoted(content.trimEnd())}\n`;

export const textOffset = z
  .int()
  .min(0)
  .max(knowledgeLimits.content)
  .default(0)
  .describe("Where to continue long content: nextOffset from the previous answer. Default: 0.");

export const revision = z.string();

export const expectedRevision = z
  .string()
  .regex(revisionPattern, "a note's revision, copied from an answer")
  .optional()
  .describe("The revision you read. If the note has changed since, nothing is written.");

export const changedMeanwhile = (
  fail: Fail<"REVISION_MISMATCH">,
  expected: string,
  there: Note | undefined,
  read: Recovery,
): never =>
  fail("REVISION_MISMATCH", "The note has changed since you read it. Nothing was written.", {
    details: { expected, ...(there && { current: revisionOf(there) }) },
    recovery: read,
  });

export const noteFilterFields = {
  tags: tags.optional().describe("Only patterns with all of these tags."),
  search: z.string().min(1).max(200).optional().describe("Words in title, description or content."),
  limit: limit(100, 20),
  offset,
  sortBy: z
    .enum(["createdAt", "updatedAt", "title"])
    .default("updatedAt")
    .describe("What to sort by. Default: updatedAt."),
  sortOrder: z.enum(["asc", "desc"]).default("desc").describe("Sort direction. Default: desc."),
};

/** Returns a note's URI. Its session ID, if any, lets the caller read the note later, from any project. */
export function noteUri({ callerState }: OperationContext, kind: NoteKind, id: string): string {
  const folder = kind === "pattern" ? "patterns" : "scratchpad";
  const { sessionId } = callerState;
  return `thoughtbox://knowledge/${folder}/${id}${sessionId === undefined ? "" : `?sessionId=${sessionId}`}`;
}

export const unknownNote = (fail: Fail<"UNKNOWN_ID">, what: string, id: string, list: string): never =>
  fail("UNKNOWN_ID", `There is no ${what} ${id} in this project.`, {
    recovery: { hint: "List the project's knowledge.", operation: list, args: {} },
  });
