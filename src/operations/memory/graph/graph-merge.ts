import * as z from "zod";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import type { GraphMergeOutcome } from "../../../ports/memory/graph.ts";
import { defineMemory } from "../define-memory.ts";
import { pagination } from "../fields.ts";
import { maxMerged, mergedAtOnce, mergeFields, mergeTarget } from "../merge-target.ts";
import { clampLimit, describePage } from "../paging.ts";
import { conflictLineSchema, showConflictLine, stubConflict } from "./conflict-schema.ts";

/** Conflicts that one answer can name; the next call goes on. */
const maxConflicts = 200;

export const graphMerge = defineMemory({
  name: "graph_merge",
  title: "Merge a graph back",
  summary:
    "Merges what a branch changed in a graph back into its base, three-way; collisions become conflicts.",
  effect: "write",
  input: mergeFields,
  output: {
    from: z.string(),
    into: z.string(),
    doc: z.string(),
    merged: z.int(),
    skipped: z.int(),
    conflicts_created: z.int(),
    conflict_ids: z.array(z.string()),
    conflicts: z.array(conflictLineSchema),
    diff_summary: z.strictObject({
      nodes_changed: z.int(),
      edges_changed: z.int(),
      node_fields_changed: z.int(),
      edge_fields_changed: z.int(),
    }),
    pagination,
  },
  trim: {
    list: { key: "conflicts", oldest: "last", stub: stubConflict },
  },
  errors: ["MERGE_NOT_SUPPORTED", "UNKNOWN_ID", "INVALID_PAYLOAD", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    {
      title: "what would happen",
      given: "a workspace with a graph",
      input: { from: "try/cache", merge_to_base: true, dry_run: true },
    },
    {
      title: "back into its base",
      given: "a workspace with a graph",
      input: { from: "try/cache", into: "main" },
    },
  ],

  async handle({ doc = defaultDocs.graph, dry_run, cursor, limit: asked, ...branches }, memory) {
    const { from } = branches;
    const into = await mergeTarget(memory, branches);
    const limit = clampLimit(memory, asked, maxMerged);
    const store = memory.memory;
    const total = Math.min(limit, await store.countChangedKeys(memory.workspace, { branch: from, doc }));
    const sum = emptySum(cursor ?? 0);
    let looked = 0;
    while (looked < limit && sum.conflicts.length < maxConflicts) {
      const merge = { from, into, doc, after: sum.lastSeq, limit: Math.min(mergedAtOnce, limit - looked) };
      const part = dry_run
        ? await store.previewGraphMerge(memory.workspace, merge, memory.clock())
        : (await memory.commit([{ do: "merge_graph", ...merge }]))[0];
      add(sum, part);
      looked += part.merged + part.skipped + part.conflicts.length;
      memory.progress(Math.min(looked, total), total, `merging ${from} into ${into}`);
      memory.signal.throwIfAborted();
      if (!part.hasMore) break;
    }
    const { merged, skipped, conflicts, summary, lastSeq, hasMore } = sum;
    return {
      from,
      into,
      doc,
      merged,
      skipped,
      conflicts_created: dry_run ? 0 : conflicts.length,
      conflict_ids: conflicts.map(({ conflict_id }) => conflict_id),
      conflicts: conflicts.map(showConflictLine),
      diff_summary: summary,
      pagination: describePage({ cursor, limit, count: looked, hasMore, next: lastSeq }),
    };
  },
});

function emptySum(after: number): GraphMergeOutcome {
  const summary = { nodes_changed: 0, edges_changed: 0, node_fields_changed: 0, edge_fields_changed: 0 };
  return { merged: 0, skipped: 0, conflicts: [], summary, lastSeq: after, hasMore: false };
}

function add(sum: GraphMergeOutcome, part: GraphMergeOutcome): void {
  sum.merged += part.merged;
  sum.skipped += part.skipped;
  sum.conflicts.push(...part.conflicts);
  for (const field of Object.keys(sum.summary) as (keyof typeof sum.summary)[])
    sum.summary[field] += part.summary[field];
  sum.lastSeq = part.lastSeq;
  sum.hasMore = part.hasMore;
}
