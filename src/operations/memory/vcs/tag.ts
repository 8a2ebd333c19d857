import * as z from "zod";
import { quote } from "../../../kernel/text.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, describePage, pagination } from "../fields.ts";
import { ref, showTag, stubTag, tagName, tagSchema } from "./ref-schemas.ts";
import { requireCommit } from "./resolve-ref.ts";

export const tagCreate = defineMemory({
  name: "tag_create",
  title: "Tag a commit",
  summary:
    "Gives a commit a permanent name. Refuses the name of a branch, because a branch takes precedence over a tag.",
  effect: "write",
  input: {
    name: tagName.describe("Name of the tag, such as v1."),
    from: ref.optional().describe("Branch, tag or commit such as notes@12 to tag. Default: the checkout."),
    force: z.boolean().default(false).describe("Move an existing tag with that name. Default: false."),
  },
  output: { workspace: z.string(), tag: tagSchema },
  errors: ["CONFLICT", "INVALID_PAYLOAD", "UNKNOWN_ID", "NO_CHECKOUT", "STORAGE_ERROR"],
  examples: [
    { title: "the current commit of the checkout", given: "a workspace with commits", input: { name: "v2" } },
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
      return fail(
        "CONFLICT",
        `There is a branch ${quote(name)}, which would take precedence over a tag with that name.`,
        {
          details: { name },
          recovery: {
            hint: "Choose a name that no branch uses. This call lists the branches.",
            operation: "branch_list",
            args: { workspace },
          },
        },
      );
    }
    const [tag] = await memory.commit([{ do: "create_tag", name, seq, force }]);
    return { workspace, tag: showTag(tag) };
  },
});

export const tagList = defineMemory({
  name: "tag_list",
  title: "List tags",
  summary: "Lists the workspace's tags with their commits, newest first.",
  effect: "read",
  input: { limit: clampedLimit(100), cursor: cursor.optional() },
  output: { workspace: z.string(), tags: z.array(tagSchema), pagination },
  trim: { list: { key: "tags", oldest: "last", cursor: ({ order }) => order, stub: stubTag } },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "all", given: "a workspace with commits", input: {} }],

  async handle({ limit, cursor }, memory) {
    const { tags, hasMore } = await memory.memory.listTags(memory.workspace, cursor, limit);
    const page = { cursor, limit, count: tags.length, hasMore, next: tags.at(-1)?.order };
    return { workspace: memory.workspace, tags: tags.map(showTag), pagination: describePage(page) };
  },
});

export const tagDelete = defineMemory({
  name: "tag_delete",
  title: "Delete a tag",
  summary: "Deletes a tag. Its commit is kept.",
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
