import * as z from "zod";
import { anchorFailure } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor } from "../fields.ts";
import { count } from "../think/fields.ts";
import { anchorId } from "./anchor-fields.ts";
import { anchorView, readAnchor, trimAnchor } from "./read-anchor.ts";

export const anchorSnapshot = defineMemory({
  name: "anchor_snapshot",
  title: "Show an area's cards",
  summary:
    "Shows an anchor with the cards bound to it, from every branch and task: pinned, then decisions, evidence, tests, and so on.",
  effect: "read",
  input: {
    anchor: anchorId.describe("The anchor, such as a:storage. Earlier names work too."),
    include_drafts: z.boolean().default(false).describe("Whether drafts are shown too. Default: false."),
    limit: clampedLimit(20),
    cursor: cursor.describe("next_cursor of the previous page.").optional(),
    tasks_limit: count(10, "plans and tasks"),
  },
  advanced: ["tasks_limit"],
  output: anchorView,
  trim: trimAnchor,
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "the storage", given: "a workspace with anchors", input: { anchor: "a:storage" } }],

  async handle({ anchor, include_drafts, limit, cursor: after, tasks_limit }, memory) {
    const view = await readAnchor(memory, anchor, {
      drafts: include_drafts,
      after,
      limit,
      tasks: tasks_limit,
    });
    if (!view) throw anchorFailure("unknown_anchor", { workspace: memory.workspace, anchor });
    return view;
  },
});
