import * as z from "zod";
import { formatRef } from "../../../domain/memory/entry.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, describePage, doc, pagination } from "../fields.ts";
import { stubEntry } from "../notes/entry-schema.ts";
import { commitSchema, ref, showCommit } from "./ref-schemas.ts";
import { resolveRef } from "./resolve-ref.ts";

export const log = defineMemory({
  name: "log",
  title: "Read the log",
  summary:
    "Lists commits from a ref back through their parents, newest first. Commits dropped by reset are not listed.",
  effect: "read",
  input: {
    ref: ref
      .optional()
      .describe("Branch, tag or commit such as notes@12 to start from. Default: the checkout."),
    doc: doc.optional().describe("Document on the branch. Default: notes."),
    limit: clampedLimit(20),
    cursor: cursor.optional(),
  },
  output: {
    workspace: z.string(),
    branch: z.string(),
    doc: z.string(),
    head: z.string().nullable(),
    commits: z.array(commitSchema),
    pagination,
  },
  trim: { list: { key: "commits", oldest: "last", cursor: ({ seq }) => seq, stub: stubEntry } },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "of the checkout", given: "a workspace with commits", input: {} },
    { title: "from a tag", given: "a workspace with commits", input: { ref: "v1", limit: 5 } },
  ],

  async handle({ ref, doc: askedDoc, limit, cursor }, memory) {
    const { branch, doc, seq } = await resolveRef(memory, ref, askedDoc);
    const { commits, hasMore } =
      seq === undefined
        ? { commits: [], hasMore: false }
        : await memory.memory.readLog(memory.workspace, seq, cursor, limit);
    const page = { cursor, limit, count: commits.length, hasMore, next: commits.at(-1)?.seq };
    return {
      workspace: memory.workspace,
      branch,
      doc,
      head: seq === undefined ? null : formatRef({ doc, seq }),
      commits: commits.map(showCommit),
      pagination: describePage(page),
    };
  },
});
