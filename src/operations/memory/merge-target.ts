import * as z from "zod";
import { unknownBranch } from "../../domain/memory/refusals.ts";
import { quote } from "../../kernel/text.ts";
import type { MemoryContext } from "../pipeline/context.ts";
import { clampedLimit } from "../pipeline/fields.ts";
import { branchName, cursor, doc } from "./fields.ts";
import { checkoutOf, refuseLedger } from "./scope.ts";

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

type AskedMerge = { from: string; into?: string | undefined; merge_to_base?: boolean | undefined };

/** Where a merge goes: the branch named, the base of `from`, or the checkout. */
export async function mergeTarget(
  memory: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID" | "NO_CHECKOUT" | "MERGE_NOT_SUPPORTED">,
  { from, into, merge_to_base }: AskedMerge,
): Promise<string> {
  const { workspace, fail } = memory;
  refuseLedger(memory, from);
  if (into !== undefined) refuseLedger(memory, into);
  const chosen = merge_to_base ? await baseOf(memory, from, into) : (into ?? checkoutOf(memory));
  if (chosen !== from) return chosen;
  return fail("INVALID_PAYLOAD", `${quote(from)} cannot be merged into itself.`, {
    details: { from, into: chosen },
    recovery: { hint: "See the branches and their bases.", operation: "branch_list", args: { workspace } },
  });
}

async function baseOf(
  { memory, workspace, fail }: MemoryContext<"INVALID_PAYLOAD" | "UNKNOWN_ID" | "MERGE_NOT_SUPPORTED">,
  from: string,
  into: string | undefined,
): Promise<string> {
  const branch = await memory.readBranch(workspace, from);
  if (!branch) throw unknownBranch(from, workspace);
  if (branch.base_branch === null) {
    return fail("MERGE_NOT_SUPPORTED", `${quote(from)} was made from no other branch.`, {
      details: { from },
      recovery: { hint: "See the branches and their bases.", operation: "branch_list", args: { workspace } },
    });
  }
  if (into === undefined || into === branch.base_branch) return branch.base_branch;
  return fail(
    "INVALID_PAYLOAD",
    `into is ${quote(into)}, but the base of ${quote(from)} is ${quote(branch.base_branch)}; give one of into and merge_to_base.`,
    {
      details: { hints: [{ kind: "choose_one", fields: ["into", "merge_to_base"] }] },
      recovery: { hint: "See the branches and their bases.", operation: "branch_list", args: { workspace } },
    },
  );
}
