import * as z from "zod";
import { mergeAnchors } from "../../../domain/memory/meaning-map/change-anchors.ts";
import { defineMemory } from "../define-memory.ts";
import { anchorId, anchorIds, anchorSchema, showAnchor } from "./anchor-fields.ts";

export const anchorsMerge = defineMemory({
  name: "anchors_merge",
  title: "Merge anchors",
  summary:
    "Makes several anchors one: those merged become aliases of the one that stays, with their cards, references and dependencies.",
  effect: "write",
  input: {
    from: anchorIds(64).min(1).describe("Anchors that go; tags that nobody registered may be among them."),
    into: anchorId.describe("The anchor that stays."),
  },
  output: { anchor: anchorSchema, merged: z.array(z.string()), changed: z.boolean() },
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "two words for one",
      given: "a workspace with anchors",
      input: { from: ["a:login"], into: "a:storage" },
    },
  ],

  async handle({ from, into }, memory) {
    const [{ anchor, put }] = await memory.commit([
      { do: "change_anchors", names: from, decide: (facts) => mergeAnchors(facts, from, into) },
    ]);
    const merged = [...new Set(from)].filter((id) => anchor.aliases.includes(id));
    return { anchor: showAnchor(anchor), merged, changed: put.length > 0 };
  },
});
