import * as z from "zod";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, pagination } from "../fields.ts";
import { describePage } from "../paging.ts";
import { showTag, stubTag, tagSchema } from "./ref-schemas.ts";

export const tagList = defineMemory({
  name: "tag_list",
  title: "List tags",
  summary: "Lists the tags of the workspace with the commits they are on, the newest first.",
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
