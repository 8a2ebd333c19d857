import * as z from "zod";
import { renameAnchor } from "../../../domain/memory/meaning-map/change-anchors.ts";
import { defineMemory } from "../define-memory.ts";
import { anchorId, anchorSchema, showAnchor } from "./anchor-fields.ts";

export const anchorsRename = defineMemory({
  name: "anchors_rename",
  title: "Rename an anchor",
  summary:
    "Gives an anchor another id. The old one stays as an alias, so that cards with the old tag still belong to it.",
  effect: "write",
  input: {
    from: anchorId.describe("The anchor as it is called now."),
    to: anchorId.describe("What it shall be called."),
  },
  output: { anchor: anchorSchema, previous: z.string(), current: z.string(), changed: z.boolean() },
  errors: ["UNKNOWN_ID", "CONFLICT", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "a better word",
      given: "a workspace with anchors",
      input: { from: "a:storage", to: "a:store" },
    },
  ],

  async handle({ from, to }, memory) {
    const [{ anchor, put }] = await memory.commit([
      { do: "change_anchors", names: [], decide: (facts) => renameAnchor(facts, from, to) },
    ]);
    return { anchor: showAnchor(anchor), previous: from, current: to, changed: put.length > 0 };
  },
});
