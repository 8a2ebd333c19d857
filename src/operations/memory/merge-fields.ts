import * as z from "zod";
import { mergeLimits } from "../../domain/memory/merge/merge-limits.ts";
import { clampedLimit } from "../pipeline/fields.ts";
import { branchName, doc, forwardCursor } from "./fields.ts";

/** What merging notes and merging graphs have in common. */
export const mergeFields = {
  from: branchName.describe("Branch to merge."),
  into: branchName.optional().describe("Branch to merge into; by default the checkout."),
  merge_to_base: z.boolean().optional().describe("Merge into the base of `from`, whichever it is."),
  doc: doc.optional(),
  dry_run: z.boolean().default(false).describe("Only report what would happen; default false."),
  cursor: forwardCursor.optional(),
  limit: clampedLimit(mergeLimits.entries, mergeLimits.entries),
};
