import * as z from "zod";
import { branchPattern } from "../../../domain/memory/limits.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { pagination } from "../fields.ts";
import { describePage } from "../paging.ts";
import { branchSchema, showBranch, stubBranch } from "./branch.ts";

export const branchList = defineMemory({
  name: "branch_list",
  title: "List branches",
  summary: "Lists the branches of the workspace by name, with the base and the moment each was made from.",
  effect: "read",
  input: {
    status: z
      .enum(["active", "deleted"])
      .default("active")
      .describe("Which branches: active (default), or those that branch_restore can bring back."),
    limit: clampedLimit(100),
    cursor: z
      .string()
      .regex(branchPattern, "the next_cursor of the page before")
      .optional()
      .describe("next_cursor of the page before."),
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
    };
  },
});
