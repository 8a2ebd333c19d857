import * as z from "zod";
import { unknownConflict } from "../../../domain/memory/refusals.ts";
import type { Conflict } from "../../../ports/memory/graph.ts";
import { defineMemory } from "../define-memory.ts";
import { conflictId, stubConflict } from "./conflict-schema.ts";
import { showState } from "./show-change.ts";

const state = z.record(z.string(), z.unknown()).nullable().optional();

export const graphConflictShow = defineMemory({
  name: "graph_conflict_show",
  title: "Show a conflict",
  summary: "Shows a conflict in full: what both branches started from, what came in, what was there.",
  effect: "read",
  input: { conflict_id: conflictId },
  output: {
    conflict: z.strictObject({
      conflict_id: z.string(),
      kind: z.string(),
      key: z.string(),
      from: z.string().optional(),
      into: z.string().optional(),
      doc: z.string().optional(),
      status: z.string(),
      resolution: z.string().optional(),
      base: state,
      theirs: state,
      ours: state,
      created_at_ms: z.int().optional(),
      resolved_at_ms: z.int().optional(),
    }),
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

function showConflict(conflict: Conflict) {
  const { conflict_id, kind, key, from, into, doc, status, resolution } = conflict;
  const { base, theirs, ours, created_at_ms, resolved_at_ms } = conflict;
  return {
    conflict_id,
    kind,
    key,
    from,
    into,
    doc,
    status,
    ...(resolution !== undefined && { resolution }),
    base: showState(base),
    theirs: showState(theirs),
    ours: showState(ours),
    created_at_ms,
    ...(resolved_at_ms !== undefined && { resolved_at_ms }),
  };
}
