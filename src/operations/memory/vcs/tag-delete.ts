import * as z from "zod";
import { defineMemory } from "../define-memory.ts";
import { tagName } from "./ref-schemas.ts";

export const tagDelete = defineMemory({
  name: "tag_delete",
  title: "Delete a tag",
  summary: "Takes a tag away; the commit it was on stays.",
  effect: "destroy",
  input: { name: tagName.describe("Tag to delete.") },
  output: { workspace: z.string(), name: z.string(), deleted: z.boolean() },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "a tag", given: "a workspace with commits", input: { name: "v1" } }],

  async handle({ name }, { workspace, commit }) {
    const [{ deleted }] = await commit([{ do: "delete_tag", name }]);
    return { workspace, name, deleted };
  },
});
