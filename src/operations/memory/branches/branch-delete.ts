import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { branchName } from "../fields.ts";

export const branchDelete = defineMemory({
  name: "branch_delete",
  title: "Delete a branch",
  summary:
    "Hides a branch with what only it holds, and says how much of that was never merged; branch_restore brings it back.",
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
