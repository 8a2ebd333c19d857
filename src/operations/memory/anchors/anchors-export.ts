import * as z from "zod";
import { exportMap, mapFormats } from "../../../domain/memory/meaning-map/export-map.ts";
import { defineMemory } from "../define-memory.ts";

export const anchorsExport = defineMemory({
  name: "anchors_export",
  title: "Draw the anchors",
  summary:
    "The map of anchors as a Mermaid graph or as indented text: what lies in what, and depends on what.",
  effect: "read",
  input: { format: z.enum(mapFormats).default("mermaid").describe("mermaid (default) or text.") },
  output: { format: z.enum(mapFormats), anchors: z.int(), text: z.string() },
  trim: { text: "text" },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "as text", given: "a workspace with anchors", input: { format: "text" } }],

  async handle({ format }, { memory, workspace }) {
    const anchors = await memory.listAnchors(workspace);
    return { format, anchors: anchors.length, text: exportMap(anchors, format) };
  },
});
