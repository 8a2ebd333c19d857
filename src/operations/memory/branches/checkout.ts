import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { branchName } from "../fields.ts";
import { refuseLedger } from "../scope.ts";

export const checkout = defineMemory({
  name: "checkout",
  title: "Switch to a branch",
  summary: "Sets the workspace's default branch for reads and writes.",
  effect: "write",
  input: { ref: branchName.describe("Branch to switch to.") },
  aliases: { branch: "ref", name: "ref" },
  output: { workspace: z.string(), previous: z.string(), current: z.string() },
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [{ title: "a branch", given: "a workspace with a branch", input: { ref: "try/cache" } }],

  async handle({ ref }, { workspace, commit, fail, state }) {
    refuseLedger({ workspace, fail }, ref);
    const [{ previous, current }] = await commit([{ do: "checkout", ref }]);
    return { workspace, previous: state?.checkout ?? previous, current };
  },
});
