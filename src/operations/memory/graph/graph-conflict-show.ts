import { unknownConflict } from "../../../domain/memory/refusals.ts";
import { defineMemory } from "../define-memory.ts";
import { conflictId, conflictSchema, showConflict, stubConflict } from "./conflict-schema.ts";

export const graphConflictShow = defineMemory({
  name: "graph_conflict_show",
  title: "Show a conflict",
  summary: "Shows a conflict in full: what both branches started from, what came in, what was there.",
  effect: "read",
  input: { conflict_id: conflictId },
  output: {
    conflict: conflictSchema,
  },
  trim: { item: { key: "conflict", stub: stubConflict } },
  errors: ["UNKNOWN_ID", "STORAGE_ERROR"],
  examples: [{ title: "by its id", given: "a graph with a conflict", input: { conflict_id: "$conflict" } }],

  async handle({ conflict_id }, { memory, workspace }) {
    const conflict = await memory.readConflict(workspace, conflict_id);
    if (!conflict) throw unknownConflict(workspace, conflict_id);
    return { conflict: showConflict(conflict) };
  },
});
