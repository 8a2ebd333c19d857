import * as z from "zod";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branchName, doc, forwardCursor, pagination } from "../fields.ts";
import { describePage } from "../paging.ts";
import { conflictLineSchema, showConflictLine, stubConflict } from "./conflict-schema.ts";

export const graphConflicts = defineMemory({
  name: "graph_conflicts",
  title: "List conflicts",
  summary: "Lists the conflicts that merges into a branch have met, in the order in which they were found.",
  effect: "read",
  input: {
    into: branchName.describe("Branch that was merged into."),
    doc: doc.optional(),
    status: z
      .enum(["open", "resolved", "all"])
      .default("open")
      .describe("Which: open (default), resolved or all."),
    cursor: forwardCursor.optional(),
    limit: clampedLimit(50),
  },
  output: {
    into: z.string(),
    doc: z.string(),
    conflicts: z.array(z.strictObject({ ...conflictLineSchema.shape, order: z.int().optional() })),
    pagination,
  },
  trim: {
    list: {
      key: "conflicts",
      oldest: "last",
      cursor: ({ order }) => order,
      stub: (conflict) => ({ ...stubConflict(conflict), order: conflict["order"] }),
    },
  },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "what is open", given: "a graph with a conflict", input: { into: "main", status: "open" } },
  ],

  async handle({ into, doc = defaultDocs.graph, status, cursor, limit }, memory) {
    const page = { into, doc, status: status === "all" ? undefined : status, after: cursor ?? 0, limit };
    const { conflicts, hasMore } = await memory.memory.listConflicts(memory.workspace, page);
    const count = conflicts.length;
    return {
      into,
      doc,
      conflicts: conflicts.map((conflict) => ({ ...showConflictLine(conflict), order: conflict.order })),
      pagination: describePage({ cursor, limit, count, hasMore, next: conflicts.at(-1)?.order }),
    };
  },
});
