import * as z from "zod";
import { mergeAnchors, renameAnchor } from "../../../domain/memory/meaning-map/change-anchors.ts";
import { exportMap, mapFormats } from "../../../domain/memory/meaning-map/export-map.ts";
import { lintMap } from "../../../domain/memory/meaning-map/lint-map.ts";
import {
  anchorFailure,
  isAnchorId,
  type MeaningAnchor,
  namesOf,
} from "../../../domain/memory/meaning-map/meaning-anchor.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { cursor, describePage, pagination } from "../fields.ts";
import { count } from "../think/fields.ts";
import {
  anchorId,
  anchorIds,
  anchorSchema,
  anchorView,
  type ShownAnchor,
  showAnchor,
  showStray,
  stubAnchor,
  word,
} from "./anchor-fields.ts";
import { readAnchor, trimAnchor } from "./read-anchor.ts";

export const anchorsList = defineMemory({
  name: "anchors_list",
  title: "List anchors",
  summary:
    "Lists anchors by ID, including unregistered tags. An anchor names an area. A tag such as a:storage assigns a card to its anchor.",
  effect: "read",
  input: {
    text: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe("Only anchors whose ID, alias, title or description contains this text."),
    kind: word.optional().describe("Only anchors of this kind."),
    status: word.optional().describe("Only anchors with this status."),
    limit: clampedLimit(50),
    cursor: anchorId.optional().describe("next_cursor from the previous page."),
  },
  output: { workspace: z.string(), anchors: z.array(anchorSchema), pagination },
  trim: { list: { key: "anchors", oldest: "last", cursor: ({ id }) => id, stub: stubAnchor } },
  errors: ["STORAGE_ERROR"],
  examples: [{ title: "about storage", given: "a workspace with anchors", input: { text: "storage" } }],

  async handle({ text, kind, status, cursor, limit }, memory) {
    const registered = await memory.memory.listAnchors(memory.workspace);
    const strays = strayTags(registered, await memory.memory.carriedAnchorTags(memory.workspace));
    const all = [...registered.map(showAnchor), ...strays.map(showStray)];
    const found = all
      .filter(
        (anchor) =>
          (cursor === undefined || anchor.id > cursor) &&
          (kind === undefined || anchor.kind === kind) &&
          (status === undefined || anchor.status === status) &&
          (text === undefined || contains(anchor, text.toLowerCase())),
      )
      .sort((one, other) => (one.id < other.id ? -1 : 1));
    const anchors = found.slice(0, limit);
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

/** Tags of cards that are neither a current nor a former name of an anchor. */
function strayTags(anchors: readonly MeaningAnchor[], carried: readonly string[]): string[] {
  const known = new Set(anchors.flatMap(namesOf));
  return carried.filter((tag) => isAnchorId(tag) && !known.has(tag));
}

const contains = ({ id, aliases = [], title, description = "" }: ShownAnchor, text: string): boolean =>
  [id, ...aliases, title, description].some((field) => field.toLowerCase().includes(text));

export const anchorsExport = defineMemory({
  name: "anchors_export",
  title: "Draw the anchors",
  summary: "Draws the anchors with their parents and dependencies, as a Mermaid graph or indented text.",
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
    "Checks the anchors: tags without an anchor, missing parents and dependencies, cycles, and anchors without cards.",
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
        reason:
          "See which cards have the tag, then register it with macro_anchor_note or merge it with anchors_merge.",
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

export const anchorsMerge = defineMemory({
  name: "anchors_merge",
  title: "Merge anchors",
  summary:
    "Merges several anchors into one, which takes over their cards, references and dependencies. Their IDs become its aliases.",
  effect: "write",
  input: {
    from: anchorIds(64).min(1).describe("Anchors to merge, including unregistered tags."),
    into: anchorId.describe("The anchor to merge into."),
  },
  output: { anchor: anchorSchema, merged: z.array(z.string()), changed: z.boolean() },
  errors: ["UNKNOWN_ID", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "two names for one area",
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

export const anchorsRename = defineMemory({
  name: "anchors_rename",
  title: "Rename an anchor",
  summary:
    "Gives an anchor a new ID. The old ID stays as an alias, so cards with the old tag still belong to the anchor.",
  effect: "write",
  input: {
    from: anchorId.describe("Current ID of the anchor."),
    to: anchorId.describe("New ID of the anchor."),
  },
  output: { anchor: anchorSchema, previous: z.string(), current: z.string(), changed: z.boolean() },
  errors: ["UNKNOWN_ID", "CONFLICT", "INVALID_PAYLOAD", "STORAGE_ERROR"],
  examples: [
    {
      title: "a better name",
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

export const anchorSnapshot = defineMemory({
  name: "anchor_snapshot",
  title: "Show an area's cards",
  summary:
    "Shows an anchor with the cards bound to it, from every branch and task: pinned ones first, then decisions, evidence, tests and the rest.",
  effect: "read",
  input: {
    anchor: anchorId.describe("The anchor, such as a:storage. Earlier names work too."),
    include_drafts: z.boolean().default(false).describe("Include drafts. Default: false."),
    limit: clampedLimit(20),
    cursor: cursor.describe("next_cursor from the previous page.").optional(),
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
