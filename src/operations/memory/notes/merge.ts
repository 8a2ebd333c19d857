import * as z from "zod";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import { mergeLimits } from "../../../domain/memory/merge/merge-limits.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { defineMemory } from "../define-memory.ts";
import { branchName, pagination } from "../fields.ts";
import { mergeFields } from "../merge-fields.ts";
import { describePage } from "../paging.ts";
import { type AskedMerge, resolveMergeTarget, sessionOf } from "../scope.ts";
import { openSessionMerge, type PartedMerge } from "./merge-session.ts";

export const merge = defineMemory({
  name: "merge",
  title: "Merge notes",
  summary:
    "Copies the notes that one branch has and another lacks, or the thoughts of session/<id>, oldest first and each once.",
  effect: "write",
  input: {
    ...mergeFields,
    from: branchName.describe("Branch to merge; session/<id> for the thoughts of a session, as notes."),
  },
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
    {
      title: "the thoughts of a session, as notes",
      given: "a session with a branch",
      input: { from: "session/$session" },
    },
  ],

  async handle({ doc = defaultDocs.notes, dry_run, cursor, limit, ...branches }, memory) {
    const { from } = branches;
    const sessionId = sessionOf(from);
    const asked = { ...branches, doc, dry_run };
    const { into, mergePart, finish } =
      sessionId === undefined
        ? await openBranchMerge(memory, asked)
        : await openSessionMerge(memory, sessionId, asked);
    const sum = { merged: 0, skipped: 0, lastSeq: cursor ?? 0, hasMore: true };
    let looked = 0;
    while (looked < limit && sum.hasMore) {
      const size = Math.min(mergeLimits.transaction, limit - looked);
      const { merged, skipped, lastSeq, hasMore } = await mergePart(sum.lastSeq, size);
      sum.merged += merged;
      sum.skipped += skipped;
      looked += merged + skipped;
      Object.assign(sum, { lastSeq, hasMore });
      memory.progress(looked, hasMore ? limit : looked, `merging ${from} into ${into}`);
      memory.signal.throwIfAborted();
    }
    finish();
    const { merged, skipped, lastSeq, hasMore } = sum;
    const page = { cursor, limit, count: looked, hasMore, next: lastSeq };
    return { from, into, doc, merged, skipped, pagination: describePage(page) };
  },
});

async function openBranchMerge(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID" | "NO_CHECKOUT" | "MERGE_NOT_SUPPORTED">,
  { doc, dry_run, ...branches }: AskedMerge & { doc: string; dry_run: boolean },
): Promise<PartedMerge> {
  const { from } = branches;
  const into = await resolveMergeTarget(memory, branches);
  return {
    into,
    async mergePart(after, limit) {
      const part = { from, into, doc, after, limit };
      return dry_run
        ? memory.memory.previewNoteMerge(memory.workspace, part)
        : (await memory.commit([{ do: "merge_notes", ...part }]))[0];
    },
    finish() {},
  };
}
