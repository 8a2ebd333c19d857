import * as z from "zod";
import { clampedLimit } from "../pipeline/fields.ts";
import { branchName, cursor, doc } from "./fields.ts";

/** Entries or keys that one call takes. */
export const maxMerged = 10_000;
/** Those of one transaction: other writers get their turn in between, and progress can be told. */
export const mergedAtOnce = 500;

/** What merging notes and merging graphs have in common. */
export const mergeFields = {
  from: branchName.describe("Branch to merge."),
  into: branchName.optional().describe("Branch to merge into; by default the checkout."),
  merge_to_base: z.boolean().optional().describe("Merge into the base of `from`, whichever it is."),
  doc: doc.optional(),
  dry_run: z.boolean().default(false).describe("Only tell what would happen; default false."),
  cursor: cursor.optional(),
  limit: clampedLimit(maxMerged, maxMerged),
};
