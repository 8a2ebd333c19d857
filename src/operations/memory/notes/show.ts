import * as z from "zod";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { deriveSequential } from "../../../domain/memory/sequential.ts";
import { optionalLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branch, cursor, describePage, doc, pagination, target } from "../fields.ts";
import { readDocument } from "../ledger-view.ts";
import { resolveDoc } from "../scope.ts";
import { deriveAgain, entryList, entrySchema, sequentialSchema } from "./entry-schema.ts";

const defaultLimits = { notes: 20, trace: 50 };

export const show = defineMemory({
  name: "show",
  title: "Read a document",
  summary: "Shows the newest entries of a document on a branch. The session/<id> branch shows a session.",
  effect: "read",
  input: {
    branch: branch.optional(),
    doc: doc.optional(),
    doc_kind: z
      .enum(["notes", "trace"])
      .optional()
      .describe("Which document, if doc is not given. Default: trace."),
    target: target.optional(),
    cursor: cursor.optional(),
    limit: optionalLimit("20 for notes and 50 for a trace"),
  },
  output: {
    branch: z.string(),
    doc: z.string(),
    entries: z.array(entrySchema),
    sequential: sequentialSchema.optional(),
    pagination,
  },
  trim: { list: entryList, adjust: deriveAgain },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "the newest notes", given: "a workspace with a branch", input: { doc_kind: "notes" } },
    {
      title: "a branch",
      given: "a workspace with a branch",
      input: { branch: "try/cache", doc: "notes", limit: 5 },
    },
  ],

  async handle({ doc_kind = "trace", cursor, limit: asked, ...place }, memory) {
    const scope = await resolveDoc(memory, place, doc_kind);
    const byDefault = scope.doc === defaultDocs.notes ? defaultLimits.notes : defaultLimits.trace;
    const limit = asked ?? byDefault;
    const { entries, hasMore } = await readDocument(memory, scope, cursor, limit);
    const sequential = deriveSequential(entries);
    const next = entries[0]?.seq;
    return {
      ...scope,
      entries,
      ...(sequential && { sequential }),
      pagination: describePage({ cursor, limit, count: entries.length, hasMore, next }),
    };
  },
});
