import * as z from "zod";
import type { Conflict } from "../../../domain/memory/steps/outcomes.ts";
import { showState } from "./graph-schemas.ts";

/** A conflict in a list: enough to choose one. */
export const conflictLineSchema = z.strictObject({
  conflict_id: z.string(),
  kind: z.string(),
  key: z.string(),
  status: z.string(),
  created_at_ms: z.int().optional(),
});

export const showConflictLine = ({ conflict_id, kind, key, status, created_at_ms }: Conflict) => ({
  conflict_id,
  kind,
  key,
  status,
  created_at_ms,
});

export const stubConflict = ({ conflict_id, kind, key, status }: Record<string, unknown>) => ({
  conflict_id,
  kind,
  key,
  status,
});

export const conflictId = z
  .string()
  .regex(/^CONFLICT-[0-9a-f]{32}$/, "CONFLICT- and 32 hexadecimal digits")
  .describe("ID of the conflict, as graph_merge and graph_conflicts return it.");

const state = z.record(z.string(), z.unknown()).nullable().optional();

/** A conflict in full. */
export const conflictSchema = z.strictObject({
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
});

export function showConflict(conflict: Conflict) {
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
