import * as z from "zod";
import { entrySchema } from "../../../domain/memory/entry.ts";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, cursor, doc, limit, pagination, target } from "../fields.ts";
import { clampLimit, describePage, entryList } from "../paging.ts";
import { resolveScope } from "../scope.ts";

export const show = defineMemory({
  name: "show",
  title: "Read a document",
  summary: "Shows the newest entries of a document as a branch sees them, its base's snapshot included.",
  toolset: "daily",
  effect: "read",
  input: {
    branch: branch.optional(),
    doc: doc.optional(),
    doc_kind: z
      .enum(["notes", "trace"])
      .optional()
      .describe("Which document, where doc is not given; trace unless told."),
    target: target.optional(),
    cursor: cursor.optional(),
    limit: limit(20),
  },
  output: {
    branch: z.string(),
    doc: z.string(),
    entries: z.array(entrySchema),
    sequential: z.record(z.string(), z.unknown()).optional(),
    pagination,
  },
  trim: { optional: ["sequential"], list: entryList },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    { title: "the newest notes", given: "a workspace with a branch", input: { doc_kind: "notes" } },
    {
      title: "a branch",
      given: "a workspace with a branch",
      input: { branch: "try/cache", doc: "notes", limit: 5 },
    },
  ],

  async handle({ doc_kind = "trace", cursor, limit: asked, ...place }, memory) {
    const scope = resolveScope(memory, place, defaultDocs[doc_kind]);
    const limit = clampLimit(memory, asked);
    const { entries, hasMore } = await memory.memory.readEntries(memory.workspace, {
      ...scope,
      before: cursor,
      limit,
    });
    const next = entries[0]?.seq;
    return {
      ...scope,
      entries,
      pagination: describePage({ cursor, limit, count: entries.length, hasMore, next }),
    };
  },
});
