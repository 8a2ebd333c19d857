import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { branchName } from "../fields.ts";
import { refuseLedger } from "../scope.ts";
import { branchSchema, showBranch } from "./branch.ts";

export const branchCreate = defineMemory({
  name: "branch_create",
  title: "Create a branch",
  summary: "Makes a branch to try something out: it sees its base as it is now, and nothing is copied.",
  effect: "write",
  input: {
    name: branchName.describe("Name of the new branch, such as try/cache."),
    from: branchName.optional().describe("Branch to start from; by default the checkout."),
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

  async handle({ name, from }, { workspace, commit, fail }) {
    if (from !== undefined) refuseLedger({ workspace, fail }, from);
    const [created] = await commit([{ do: "create_branch", name, from }]);
    return { workspace, branch: showBranch(created) };
  },
});
