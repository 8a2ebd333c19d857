import * as z from "zod";
import { defaultDocs, mergeLimits } from "../../../domain/memory/limits.ts";
import { optionalLimitOf } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { describePage, mergeFields, pagination } from "../fields.ts";
import { resolveMergeTarget } from "../scope.ts";
import { conflictLineSchema, showConflictLine, stubConflict } from "./graph-schemas.ts";

/** The maximum number of conflicts in an answer. graph_conflicts lists them all. */
const maxConflicts = 200;

export const graphMerge = defineMemory({
  name: "graph_merge",
  title: "Merge a graph back",
  summary:
    "Merges the graph of a branch into its base, or the graph of the base into the branch, with a three-way merge. Collisions become conflicts.",
  effect: "write",
  input: {
    ...mergeFields,
    limit: optionalLimitOf("keys", { max: mergeLimits.keys, default: "all, in one merge" }),
  },
  output: {
    from: z.string(),
    into: z.string(),
    doc: z.string(),
    merged: z.int(),
    skipped: z.int(),
    conflicts_created: z.int(),
    conflicts_open: z.int(),
    conflict_ids: z.array(z.string()),
    conflicts: z.array(conflictLineSchema),
    truncated: z.boolean().optional(),
    diff_summary: z.strictObject({
      nodes_changed: z.int(),
      edges_changed: z.int(),
      node_fields_changed: z.int(),
      edge_fields_changed: z.int(),
      conflicts: z.int(),
    }),
    pagination,
  },
  trim: {
    list: { key: "conflicts", oldest: "last", stub: stubConflict },
  },
  errors: [
    "MERGE_NOT_SUPPORTED",
    "UNKNOWN_ID",
    "CONFLICT",
    "INVALID_PAYLOAD",
    "NO_CHECKOUT",
    "STORAGE_ERROR",
  ],
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

  async handle({ doc = defaultDocs.graph, dry_run, cursor, limit, ...branches }, memory) {
    const { from } = branches;
    const { workspace, memory: store } = memory;
    const into = await resolveMergeTarget(memory, branches);
    const [merging, hasMerged] = dry_run ? ["comparing", "compared"] : ["merging", "merged"];
    const both = dry_run ? `${from} with ${into}` : `${from} into ${into}`;
    const onProgress = (done: number, total?: number) => {
      if (total !== undefined) memory.progress(Math.min(done, total), total, `${merging} ${both}`);
    };
    const merge = { from, into, doc, after: cursor ?? 0, limit };
    const outcome = dry_run
      ? await store.previewGraphMerge(workspace, merge, memory.clock(), { signal: memory.signal, onProgress })
      : await memory.mergeGraph(merge, onProgress);
    const { merged, skipped, total, conflicts, conflictsOpen, summary, lastSeq, hasMore } = outcome;
    memory.progress(total, total, `${hasMerged} ${both}`);
    if (conflictsOpen > 0 && !dry_run)
      memory.suggest({
        operation: "graph_conflicts",
        args: { workspace, into, doc },
        reason: `${conflictsOpen} ${conflictsOpen === 1 ? "conflict needs" : "conflicts need"} a decision.`,
        priority: "high",
      });
    const taken = limit ?? mergeLimits.keys;
    const listed = conflicts.slice(0, maxConflicts);
    return {
      from,
      into,
      doc,
      merged,
      skipped,
      conflicts_created: dry_run ? 0 : conflicts.length,
      conflicts_open: conflictsOpen,
      conflict_ids: listed.map(({ conflict_id }) => conflict_id),
      conflicts: listed.map(showConflictLine),
      ...(listed.length < conflicts.length && { truncated: true }),
      diff_summary: summary,
      pagination: describePage({
        cursor,
        limit: taken,
        hasMore,
        count: Math.min(outcome.looked, taken),
        next: lastSeq,
      }),
    };
  },
});
