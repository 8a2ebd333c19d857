import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { branchName } from "../fields.ts";

export const branchDelete = defineMemory({
  name: "branch_delete",
  title: "Delete a branch",
  summary:
    "Deletes a branch with its own entries, graphs and tags; refused while it is checked out or a base of others.",
  effect: "destroy",
  input: { name: branchName.describe("Branch to delete.") },
  output: { workspace: z.string(), name: z.string(), deleted: z.boolean() },
  errors: ["CONFLICT", "UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [{ title: "a dead end", given: "a workspace with a branch", input: { name: "try/cache" } }],

  async handle({ name }, { workspace, commit }) {
    const [{ deleted }] = await commit([{ do: "delete_branch", name }]);
    return { workspace, name, deleted };
  },
});
