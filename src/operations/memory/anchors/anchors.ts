import * as z from "zod";
import type { MeaningAnchor } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { pagination } from "../fields.ts";
import { describePage } from "../paging.ts";
import { anchorId, anchorSchema, showAnchor, stubAnchor, word } from "./anchor-fields.ts";

export const anchorsList = defineMemory({
  name: "anchors_list",
  title: "List anchors",
  summary:
    "Lists the registered anchors by id: areas of meaning that cards are bound to by tags such as a:storage.",
  effect: "read",
  input: {
    text: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Only those whose id, alias, title or description contains this."),
    kind: word.optional().describe("Only this kind."),
    status: word.optional().describe("Only this status."),
    limit: clampedLimit(50),
    cursor: anchorId.optional().describe("next_cursor of the page before."),
  },
  output: { workspace: z.string(), anchors: z.array(anchorSchema), pagination },
  trim: { list: { key: "anchors", oldest: "last", cursor: ({ id }) => id, stub: stubAnchor } },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "about storage", given: "a workspace with anchors", input: { text: "storage" } }],

  async handle({ text, kind, status, cursor, limit }, memory) {
    const all = await memory.memory.listAnchors(memory.workspace);
    const found = all.filter(
      (anchor) =>
        (cursor === undefined || anchor.id > cursor) &&
        (kind === undefined || anchor.kind === kind) &&
        (status === undefined || anchor.status === status) &&
        (text === undefined || contains(anchor, text.toLowerCase())),
    );
    const anchors = found.slice(0, limit).map(showAnchor);
    return {
      workspace: memory.workspace,
      anchors,
      pagination: describePage({
        cursor,
        limit,
        count: anchors.length,
        hasMore: found.length > limit,
        next: anchors.at(-1)?.id,
      }),
    };
  },
});

const contains = ({ id, aliases, title, description = "" }: MeaningAnchor, text: string): boolean =>
  [id, ...aliases, title, description].some((field) => field.toLowerCase().includes(text));
