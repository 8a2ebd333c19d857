import * as z from "zod";
import { quote } from "../../../kernel/text.ts";
import { defineMemory } from "../define-memory.ts";
import { ref, showTag, tagName, tagSchema } from "./ref-schemas.ts";
import { requireCommit } from "./resolve-ref.ts";

export const tagCreate = defineMemory({
  name: "tag_create",
  title: "Tag a commit",
  summary:
    "Gives a commit a name that stays where it is. A branch's name is refused: where both exist, the branch is meant.",
  effect: "write",
  input: {
    name: tagName.describe("Name of the tag, such as v1."),
    from: ref
      .optional()
      .describe("Branch, tag or commit such as notes@12 to put it on; by default the checkout."),
    force: z.boolean().default(false).describe("Whether a tag of that name is moved here; default false."),
  },
  output: { workspace: z.string(), tag: tagSchema },
  errors: ["CONFLICT", "INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    { title: "where the checkout stands", given: "a workspace with commits", input: { name: "v2" } },
    {
      title: "moved to another commit",
      given: "a workspace with commits",
      input: { name: "v1", from: "main", force: true },
    },
  ],

  async handle({ name, from, force }, memory) {
    const { workspace, fail } = memory;
    const { seq } = await requireCommit(memory, from);
    if (await memory.memory.readBranch(workspace, name)) {
      return fail("CONFLICT", `There is a branch ${quote(name)}; a tag of that name could not be reached.`, {
        details: { name },
        recovery: {
          hint: "Choose a name that no branch has.",
          operation: "branch_list",
          args: { workspace },
        },
      });
    }
    const [tag] = await memory.commit([{ do: "create_tag", name, seq, force }]);
    return { workspace, tag: showTag(tag) };
  },
});
