import * as z from "zod";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branchName, cursor, describePage, doc, pagination } from "../fields.ts";
import { changeSchema } from "./graph-fields.ts";
import { changeSeq, showChange, stubChange } from "./graph-schemas.ts";

export const graphDiff = defineMemory({
  name: "graph_diff",
  title: "Compare two graphs",
  summary: "Shows the nodes and edges in which one branch differs from another, including deletions.",
  effect: "read",
  input: {
    from: branchName.describe("Branch to compare with."),
    to: branchName.describe("Branch whose states are shown."),
    doc: doc.optional(),
    cursor: cursor.optional(),
    limit: clampedLimit(50),
  },
  output: {
    from: z.string(),
    to: z.string(),
    doc: z.string(),
    changes: z.array(changeSchema),
    pagination,
  },
  trim: {
    list: {
      key: "changes",
      oldest: "last",
      cursor: changeSeq,
      stub: stubChange,
    },
  },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    {
      title: "what the branch changed",
      given: "a workspace with a graph",
      input: { from: "main", to: "try/cache" },
    },
  ],

  async handle({ from, to, doc = defaultDocs.graph, cursor, limit }, memory) {
    const { changes, hasMore } = await memory.memory.diffGraph(memory.workspace, {
      from,
      to,
      doc,
      before: cursor,
      limit,
    });
    const next = changes.at(-1)?.last_seq;
    return {
      from,
      to,
      doc,
      changes: changes.map(showChange),
      pagination: describePage({ cursor, limit, count: changes.length, hasMore, next }),
    };
  },
});
