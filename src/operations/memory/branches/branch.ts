import * as z from "zod";
import { branchPattern } from "../../../domain/memory/limits.ts";
import type { Branch } from "../../../domain/memory/steps/outcomes.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branchName, describePage, pagination } from "../fields.ts";
import { checkoutOrDefault, refuseLedger } from "../scope.ts";

export const branchSchema = z.strictObject({
  name: z.string(),
  base_branch: z.string().nullable().optional(),
  base_seq: z.int().nullable().optional(),
  created_at_ms: z.int().optional(),
  deleted_at_ms: z.int().optional(),
});

export const stubBranch = ({ name }: Record<string, unknown>) => ({ name });

export const showBranch = ({
  name,
  base_branch,
  base_seq,
  created_at_ms,
  deleted_at_ms,
}: Branch): Branch => ({
  name,
  base_branch,
  base_seq,
  created_at_ms,
  ...(deleted_at_ms !== undefined && { deleted_at_ms }),
});

export const branchCreate = defineMemory({
  name: "branch_create",
  title: "Create a branch",
  summary:
    "Creates a branch to try something out. It starts from the base's current state and does not see later changes to the base. Nothing is copied.",
  effect: "write",
  input: {
    name: branchName.describe("Name of the new branch, such as try/cache."),
    from: branchName.optional().describe("Branch to start from. Default: the checkout."),
  },
  output: { workspace: z.string(), branch: branchSchema },
  errors: ["CONFLICT", "INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "from the checkout", input: { name: "try/cache" } },
    {
      title: "from another branch",
      given: "a workspace with a branch",
      input: { name: "try/ttl", from: "try/cache" },
    },
  ],

  async handle({ name, from: asked }, memory) {
    const { workspace, commit } = memory;
    if (asked !== undefined) refuseLedger(memory, asked);
    const from = asked ?? checkoutOrDefault(memory);
    const [created] = await commit([{ do: "create_branch", name, from }]);
    return { workspace, branch: showBranch(created) };
  },
});

export const branchList = defineMemory({
  name: "branch_list",
  title: "List branches",
  summary: "Lists the workspace's branches by name, each with its base and creation time.",
  effect: "read",
  input: {
    status: z
      .enum(["active", "deleted"])
      .default("active")
      .describe("Which branches to list: active (default), or deleted ones that branch_restore can restore."),
    limit: clampedLimit(100),
    cursor: z
      .string()
      .regex(branchPattern, "the next_cursor from the previous page")
      .optional()
      .describe("next_cursor from the previous page."),
  },
  output: {
    workspace: z.string(),
    checkout: z.string().nullable(),
    branches: z.array(branchSchema),
    pagination,
  },
  trim: { list: { key: "branches", oldest: "last", cursor: ({ name }) => name, stub: stubBranch } },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "all", given: "a workspace with a branch", input: {} }],

  async handle({ cursor, status, limit }, memory) {
    const found = await memory.memory.listBranches(memory.workspace, {
      after: cursor ?? "",
      limit: limit + 1,
      deleted: status === "deleted",
    });
    const branches = found.slice(0, limit).map(showBranch);
    const page = {
      cursor,
      limit,
      count: branches.length,
      hasMore: found.length > limit,
      next: branches.at(-1)?.name,
    };
    return {
      workspace: memory.workspace,
      checkout: memory.state?.checkout ?? null,
      branches,
      pagination: describePage(page),
      truncated: page.hasMore,
    };
  },
});

export const branchRename = defineMemory({
  name: "branch_rename",
  title: "Rename a branch",
  summary:
    "Renames a branch. Its documents, graphs, refs, tags, child branches and checkout move to the new name.",
  effect: "write",
  input: {
    old: branchName.describe("Current name of the branch."),
    new: branchName.describe("New name of the branch."),
  },
  output: { workspace: z.string(), previous: z.string(), current: z.string() },
  errors: ["CONFLICT", "UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "a better name",
      given: "a workspace with a branch",
      input: { old: "try/cache", new: "try/read-cache" },
    },
  ],

  async handle({ old, new: name }, { workspace, commit }) {
    const [{ previous, current }] = await commit([{ do: "rename_branch", old, new: name }]);
    return { workspace, previous, current };
  },
});

export const branchDelete = defineMemory({
  name: "branch_delete",
  title: "Delete a branch",
  summary:
    "Hides a branch with everything that exists only on it, and reports how much was never merged. branch_restore restores it.",
  effect: "destroy",
  input: { name: branchName.describe("Branch to delete.") },
  output: {
    workspace: z.string(),
    name: z.string(),
    deleted: z.boolean(),
    unmerged_entries: z.int(),
    unmerged_keys: z.int(),
  },
  errors: ["CONFLICT", "UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [{ title: "a dead end", given: "a workspace with a branch", input: { name: "try/cache" } }],

  async handle({ name }, { workspace, commit }) {
    const [outcome] = await commit([{ do: "delete_branch", name }]);
    return { workspace, name, ...outcome };
  },
});

export const branchRestore = defineMemory({
  name: "branch_restore",
  title: "Restore a branch",
  summary: "Restores the most recently deleted branch of that name, with everything it contained.",
  effect: "write",
  input: {
    name: branchName.describe("Name of the deleted branch."),
    as: branchName.optional().describe("New name for the branch, if its old one is in use."),
  },
  output: { workspace: z.string(), branch: branchSchema },
  errors: ["CONFLICT", "UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "a branch that was not a dead end after all",
      given: "a workspace with a deleted branch",
      input: { name: "try/cache" },
    },
  ],

  async handle({ name, as }, { workspace, commit }) {
    const [branch] = await commit([{ do: "restore_branch", name, as }]);
    return { workspace, branch: showBranch(branch) };
  },
});
