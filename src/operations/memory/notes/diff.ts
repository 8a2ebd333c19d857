import * as z from "zod";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import type { EntryPage } from "../../../ports/memory/memory-store.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branchName, cursor, describePage, doc, pagination } from "../fields.ts";
import { readDocument } from "../ledger-view.ts";
import { sessionOf } from "../scope.ts";
import { entryList, entrySchema } from "./entry-schema.ts";

export const diff = defineMemory({
  name: "diff",
  title: "Compare two documents",
  summary:
    "Shows the entries of a document that one branch has and another lacks. session/<id> works as a branch.",
  effect: "read",
  input: {
    from: branchName.describe("Branch to compare with."),
    to: branchName.describe("Branch whose entries are shown."),
    doc: doc.optional(),
    cursor: cursor.optional(),
    limit: clampedLimit(20),
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

  async handle({ from, to, doc: named, cursor, limit }, memory) {
    const isSession = [from, to].some((branch) => sessionOf(branch) !== undefined);
    const doc = named ?? (isSession ? defaultDocs.trace : defaultDocs.notes);
    const { entries, hasMore } = isSession
      ? await compareSession(memory, { from, to, doc }, cursor, limit)
      : await memory.memory.readDifference(memory.workspace, {
          branch: to,
          without: from,
          doc,
          before: cursor,
          limit,
        });
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

/**
 * A session shares no entries with a branch, so all entries of `to` are new. Compared with itself, a session has no new
 * entries.
 */
async function compareSession(
  memory: MemoryContext<"UNKNOWN_ID">,
  { from, to, doc }: { from: string; to: string; doc: string },
  before: number | undefined,
  limit: number,
): Promise<EntryPage> {
  await readDocument(memory, { branch: from, doc }, undefined, 1);
  const page = await readDocument(memory, { branch: to, doc }, before, limit);
  return from === to ? { entries: [], hasMore: false } : page;
}
