import * as z from "zod";
import { unknownConflict } from "../../../domain/memory/refusals.ts";
import type { Conflict } from "../../../domain/memory/steps/outcomes.ts";
import { quote } from "../../../kernel/text.ts";
import { defineMemory } from "../define-memory.ts";
import { conflictId, conflictSchema, showConflict, stubConflict } from "./conflict-schema.ts";

export const graphConflictShow = defineMemory({
  name: "graph_conflict_show",
  title: "Show a conflict",
  summary:
    "Shows a conflict in full: base (what both started from), theirs (what came in: use_from) and ours (what was there: use_into).",
  effect: "read",
  input: { conflict_id: conflictId },
  output: {
    conflict: conflictSchema,
    choices: z.strictObject({ use_from: z.string(), use_into: z.string() }).optional(),
  },
  trim: { item: { key: "conflict", stub: stubConflict }, optional: ["choices"] },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "by its id", given: "a graph with a conflict", input: { conflict_id: "$conflict" } }],

  async handle({ conflict_id }, { memory, workspace }) {
    const conflict = await memory.readConflict(workspace, conflict_id);
    if (!conflict) throw unknownConflict(workspace, conflict_id);
    return {
      conflict: showConflict(conflict),
      ...(conflict.status === "open" && { choices: describeChoices(conflict) }),
    };
  },
});

/** What each resolution of graph_conflict_resolve does. */
function describeChoices({ from, into, theirs, ours }: Conflict) {
  const isGone = ours === null || ours.deleted;
  return {
    use_from: theirs.deleted
      ? `theirs: ${quote(from)} deleted it, and so does ${quote(into)}.`
      : `theirs: ${quote(into)} takes the state that ${quote(from)} has.`,
    use_into: `ours: ${quote(into)} ${isGone ? "has deleted it and leaves it so" : "keeps the state that it has"}.`,
  };
}
