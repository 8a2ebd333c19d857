import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { branchName } from "../fields.ts";
import { branchSchema, showBranch } from "./branch.ts";

export const branchRestore = defineMemory({
  name: "branch_restore",
  title: "Restore a branch",
  summary: "Brings back the branch of that name that was deleted last, with everything it held.",
  effect: "write",
  input: {
    name: branchName.describe("Name of the deleted branch."),
    as: branchName.optional().describe("Another name to bring it back under, where its own is taken."),
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
