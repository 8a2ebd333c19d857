import * as z from "zod";
import { unknownConflict } from "../../../domain/memory/failures.ts";
import { defaultDocs } from "../../../domain/memory/limits.ts";
import type { Conflict } from "../../../domain/memory/steps/outcomes.ts";
import { quote } from "../../../kernel/text.ts";
import type { MemoryContext } from "../../pipeline/context.ts";
import { clampedLimit } from "../../pipeline/fields.ts";
import { defineMemory } from "../define-memory.ts";
import { branchName, describePage, doc, forwardCursor, pagination } from "../fields.ts";
import {
  conflictId,
  conflictLineSchema,
  conflictSchema,
  showConflict,
  showConflictLine,
  stubConflict,
} from "./graph-schemas.ts";

export const graphConflicts = defineMemory({
  name: "graph_conflicts",
  title: "List conflicts",
  summary:
    "Lists the conflicts of merges into a branch, in the order in which they were found. If no branch is named, lists the open conflicts of every branch, newest first.",
  effect: "read",
  input: {
    into: branchName
      .optional()
      .describe("Branch that was merged into. Omit to list the open conflicts of every branch and document."),
    doc: doc.optional(),
    status: z
      .enum(["open", "resolved", "all"])
      .default("open")
      .describe("Which conflicts to list: open (default), resolved or all."),
    cursor: forwardCursor.optional(),
    limit: clampedLimit(50),
  },
  output: {
    into: z.string().optional(),
    doc: z.string().optional(),
    total: z.int().optional(),
    conflicts: z.array(z.strictObject({ ...conflictLineSchema.shape, order: z.int().optional() })),
    pagination,
  },
  trim: {
    list: {
      key: "conflicts",
      oldest: "last",
      cursor: ({ order }) => order,
      stub: (conflict) => ({ ...stubConflict(conflict), order: conflict["order"] }),
    },
  },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [
    { title: "what is open", given: "a graph with a conflict", input: { into: "main", status: "open" } },
    { title: "of every branch", given: "a graph with a conflict", input: {} },
  ],

  async handle({ into, doc = defaultDocs.graph, status, cursor, limit }, memory) {
    if (into === undefined) return listEverywhere(memory, limit);
    const page = { into, doc, status: status === "all" ? undefined : status, after: cursor ?? 0, limit };
    const { conflicts, hasMore } = await memory.memory.listConflicts(memory.workspace, page);
    const count = conflicts.length;
    return {
      into,
      doc,
      conflicts: conflicts.map((conflict) => ({ ...showConflictLine(conflict), order: conflict.order })),
      pagination: describePage({ cursor, limit, count, hasMore, next: conflicts.at(-1)?.order }),
    };
  },
});

/** Lists the conflicts in all places, without pages. */
async function listEverywhere({ memory, workspace }: MemoryContext, limit: number) {
  const places = await memory.countOpenConflicts(workspace);
  const found: Conflict[] = [];
  for (const { into, doc, open } of places.slice(0, maxPlaces)) {
    for (let after = 0; found.length < maxOpen; ) {
      const page = await memory.listConflicts(workspace, { into, doc, status: "open", after, limit: 200 });
      found.push(...page.conflicts);
      after = page.conflicts.at(-1)?.order ?? 0;
      if (!page.hasMore || page.conflicts.length === 0 || open === 0) break;
    }
  }
  const total = places.reduce((sum, { open }) => sum + open, 0);
  const newest = found.toSorted((one, other) => other.created_at_ms - one.created_at_ms).slice(0, limit);
  return {
    total,
    conflicts: newest.map((conflict) => showConflictLine(conflict)),
    pagination: describePage({
      cursor: undefined,
      limit,
      count: newest.length,
      hasMore: total > newest.length,
      next: undefined,
    }),
  };
}

/** The maximum number of places to read. `total` counts all conflicts. */
const maxPlaces = 200;
const maxOpen = 2_000;

export const graphConflictShow = defineMemory({
  name: "graph_conflict_show",
  title: "Show a conflict",
  summary:
    "Shows a conflict in full: base (the common ancestor), theirs (the incoming state: use_from) and ours (the existing state: use_into).",
  effect: "read",
  input: { conflict_id: conflictId },
  output: {
    conflict: conflictSchema,
    choices: z.strictObject({ use_from: z.string(), use_into: z.string() }).optional(),
  },
  trim: { item: { key: "conflict", stub: stubConflict }, optional: ["choices"] },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "by its ID", given: "a graph with a conflict", input: { conflict_id: "$conflict" } }],

  async handle({ conflict_id }, { memory, workspace }) {
    const conflict = await memory.readConflict(workspace, conflict_id);
    if (!conflict) throw unknownConflict(workspace, conflict_id);
    return {
      conflict: showConflict(conflict),
      ...(conflict.status === "open" && { choices: describeChoices(conflict) }),
    };
  },
});

function describeChoices({ from, into, theirs, ours }: Conflict) {
  const isGone = ours === null || ours.deleted;
  return {
    use_from: theirs.deleted
      ? `theirs: ${quote(into)} deletes it, as ${quote(from)} did.`
      : `theirs: ${quote(into)} gets the version from ${quote(from)}.`,
    use_into: `ours: ${quote(into)} ${isGone ? "has deleted it, and it stays deleted" : "keeps its version"}.`,
  };
}

export const graphConflictResolve = defineMemory({
  name: "graph_conflict_resolve",
  title: "Resolve a conflict",
  summary:
    "Resolves a conflict. use_from writes theirs, the incoming state, as a new version. use_into keeps ours, the existing state.",
  effect: "write",
  input: {
    conflict_id: conflictId,
    resolution: z
      .enum(["use_from", "use_into"])
      .describe(
        "use_from: theirs, the state of the source branch. use_into: ours, the state of the target branch.",
      ),
  },
  output: { conflict_id: z.string(), status: z.literal("resolved"), applied: z.boolean() },
  errors: ["UNKNOWN_ID", "CONFLICT", "STORAGE_ERROR"],
  examples: [
    {
      title: "take the incoming state",
      given: "a graph with a conflict",
      input: { conflict_id: "$conflict", resolution: "use_from" },
    },
  ],

  async handle({ conflict_id, resolution }, { commit }) {
    const [{ applied }] = await commit([{ do: "resolve_conflict", id: conflict_id, resolution }]);
    return { conflict_id, status: "resolved" as const, applied };
  },
});
