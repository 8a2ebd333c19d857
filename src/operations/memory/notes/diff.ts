import * as z from "zod";
import { entrySchema } from "../../../domain/memory/entry.ts";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { defineMemory } from "../define-memory.ts";
import { branchName, cursor, doc, limit, pagination } from "../fields.ts";
import { clampLimit, describePage, entryList } from "../paging.ts";

export const diff = defineMemory({
  name: "diff",
  title: "Compare two documents",
  summary: "Shows the entries of a document that one branch has and another does not.",
  effect: "read",
  input: {
    from: branchName.describe("Branch to compare with."),
    to: branchName.describe("Branch whose entries are shown."),
    doc: doc.optional(),
    cursor: cursor.optional(),
    limit: limit(20),
  },
  output: { from: z.string(), to: z.string(), doc: z.string(), entries: z.array(entrySchema), pagination },
  trim: { list: entryList },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "what the branch added",
      given: "a workspace with a branch",
      input: { from: "main", to: "try/cache" },
    },
  ],

  async handle({ from, to, doc = defaultDocs.notes, cursor, limit: asked }, memory) {
    const limit = clampLimit(memory, asked);
    const page = { branch: to, without: from, doc, before: cursor, limit };
    const { entries, hasMore } = await memory.memory.readDifference(memory.workspace, page);
    const next = entries[0]?.seq;
    return {
      from,
      to,
      doc,
      entries,
      pagination: describePage({ cursor, limit, count: entries.length, hasMore, next }),
    };
  },
});
