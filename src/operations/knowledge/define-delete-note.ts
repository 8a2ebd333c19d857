import * as z from "zod";
import type { NoteKind } from "../../domain/knowledge/note.ts";
import { defineOperation } from "../define.ts";
import { noteId, unknownNote } from "./pattern-fields.ts";

type Words = { name: string; title: string; summary: string; kind: NoteKind; list: string; example: string };

/** Patterns and scratchpad notes leave in the same way. */
export function defineDeleteNote({ name, title, summary, kind, list, example }: Words) {
  return defineOperation({
    name,
    family: "ledger",
    title,
    summary,
    toolset: "full",
    stage: "cipher_loaded",
    effect: "destroy",
    input: { id: noteId },
    spellings: { aliases: { topic: "id" } },
    output: z.strictObject({ id: z.string(), deleted: z.literal(true) }),
    errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
    examples: [
      { title: "by id", given: "a project with knowledge", input: { sessionId: "$session", id: example } },
    ],

    async handle({ id }, { knowledge, handle, clock }) {
      const gone = await knowledge.deleteNote(handle.project, kind, id, clock().toISOString());
      if (!gone) throw unknownNote(kind === "pattern" ? "pattern" : "scratchpad note", id, list);
      return { id, deleted: true as const };
    },
  });
}
