import * as z from "zod";
import { lintMap } from "../../../domain/memory/meaning-map/lint-map.ts";
import { isAnchorId } from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";

const issueSchema = z.strictObject({
  code: z.string(),
  severity: z.enum(["error", "warning", "info"]),
  anchor: z.string(),
  message: z.string().optional(),
  refs: z.array(z.string()).optional(),
});

export const anchorsLint = defineMemory({
  name: "anchors_lint",
  title: "Check the anchors",
  summary:
    "Checks the map: tags without an anchor, parents and dependencies that are missing, rings, anchors without cards.",
  effect: "read",
  input: { limit: clampedLimit(50) },
  output: {
    ok: z.boolean(),
    stats: z.strictObject({ anchors: z.int(), tags: z.int() }).optional(),
    issues: z.array(issueSchema),
    issues_total: z.int(),
  },
  trim: {
    optional: ["stats"],
    list: {
      key: "issues",
      oldest: "last",
      stub: ({ code, severity, anchor }) => ({ code, severity, anchor }),
    },
  },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "of the workspace", given: "a workspace with anchors", input: {} }],

  async handle({ limit }, memory) {
    const { workspace } = memory;
    const anchors = await memory.memory.listAnchors(workspace);
    const carried = new Set(await memory.memory.carriedAnchorTags(workspace));
    const issues = lintMap(anchors, carried);
    const stray = issues.find(({ code, anchor }) => code === "ANCHOR_UNREGISTERED" && isAnchorId(anchor));
    if (stray)
      memory.suggest({
        operation: "open",
        args: { workspace, id: stray.anchor },
        reason: "See what carries it, then register it by macro_anchor_note or merge it by anchors_merge.",
        priority: "medium",
      });
    return {
      ok: issues.every(({ severity }) => severity === "info"),
      stats: { anchors: anchors.length, tags: carried.size },
      issues: issues.slice(0, limit),
      issues_total: issues.length,
    };
  },
});
