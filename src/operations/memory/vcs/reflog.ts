import * as z from "zod";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, describePage, pagination } from "../fields.ts";
import { moveSchema, ref, showMove, stubMove } from "./ref-schemas.ts";
import { resolveRef } from "./resolve-ref.ts";

export const reflog = defineMemory({
  name: "reflog",
  title: "Read the reflog",
  summary:
    "Lists every move of a branch's refs, newest first, including commits that are no longer in any log.",
  effect: "read",
  input: {
    ref: ref.optional().describe("Branch, or a tag or commit such as notes@12 on it. Default: the checkout."),
    limit: clampedLimit(50),
    cursor: cursor.optional(),
  },
  output: { workspace: z.string(), branch: z.string(), moves: z.array(moveSchema), pagination },
  trim: { list: { key: "moves", oldest: "last", cursor: ({ seq }) => seq, stub: stubMove } },
  errors: ["INVALID_PAYLOAD", "UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "of the checkout", given: "a workspace with commits", input: {} }],

  async handle({ ref, limit, cursor }, memory) {
    const { branch } = await resolveRef(memory, ref);
    const { moves, hasMore } = await memory.memory.readReflog(memory.workspace, branch, cursor, limit);
    const page = { cursor, limit, count: moves.length, hasMore, next: moves.at(-1)?.seq };
    return {
      workspace: memory.workspace,
      branch,
      moves: moves.map(showMove),
      pagination: describePage(page),
    };
  },
});
