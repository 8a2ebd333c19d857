import * as z from "zod";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { mergeLimits } from "../../../domain/memory/merge/merge-limits.ts";
import { defineMemory } from "../define-memory.ts";
import { pagination } from "../fields.ts";
import { mergeFields } from "../merge-fields.ts";
import { describePage } from "../paging.ts";
import { resolveMergeTarget } from "../scope.ts";

export const merge = defineMemory({
  name: "merge",
  title: "Merge notes",
  summary:
    "Copies the notes that one branch has and another lacks, oldest first; a second time nothing is copied.",
  effect: "write",
  input: mergeFields,
  output: {
    from: z.string(),
    into: z.string(),
    doc: z.string(),
    merged: z.int(),
    skipped: z.int(),
    pagination,
  },
  errors: ["MERGE_NOT_SUPPORTED", "UNKNOWN_ID", "INVALID_PAYLOAD", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    {
      title: "back into the base",
      given: "a workspace with a branch",
      input: { from: "try/cache", merge_to_base: true },
    },
    {
      title: "what would be copied",
      given: "a workspace with a branch",
      input: { from: "try/cache", into: "main", dry_run: true },
    },
  ],

  async handle({ doc = defaultDocs.notes, dry_run, cursor, limit, ...branches }, memory) {
    const { from } = branches;
    const into = await resolveMergeTarget(memory, branches);
    const sum = { merged: 0, skipped: 0, lastSeq: cursor ?? 0, hasMore: true };
    let looked = 0;
    while (looked < limit && sum.hasMore) {
      const size = Math.min(mergeLimits.transaction, limit - looked);
      const part = { from, into, doc, after: sum.lastSeq, limit: size };
      const { merged, skipped, lastSeq, hasMore } = dry_run
        ? await memory.memory.previewNoteMerge(memory.workspace, part)
        : (await memory.commit([{ do: "merge_notes", ...part }]))[0];
      sum.merged += merged;
      sum.skipped += skipped;
      looked += merged + skipped;
      Object.assign(sum, { lastSeq, hasMore });
      memory.progress(looked, hasMore ? limit : looked, `merging ${from} into ${into}`);
      memory.signal.throwIfAborted();
    }
    const { merged, skipped, lastSeq, hasMore } = sum;
    const page = { cursor, limit, count: looked, hasMore, next: lastSeq };
    return { from, into, doc, merged, skipped, pagination: describePage(page) };
  },
});
