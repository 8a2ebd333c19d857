import * as z from "zod";
import type { Conflict } from "../../../ports/memory/graph.ts";

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
  .describe("CONFLICT-… as graph_merge and graph_conflicts name it.");
