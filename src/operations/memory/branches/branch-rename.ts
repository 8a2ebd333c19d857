import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { branchName } from "../fields.ts";

export const branchRename = defineMemory({
  name: "branch_rename",
  title: "Rename a branch",
  summary:
    "Gives a branch another name; its documents, graphs, refs, tags, children and the checkout follow.",
  effect: "write",
  input: {
    old: branchName.describe("Its name now."),
    new: branchName.describe("Its new name."),
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
