import * as z from "zod";
import type { Entry } from "../../../domain/memory/entry.ts";
import { deriveSequential } from "../../../domain/memory/sequential.ts";
import type { ListPlan } from "../../pipeline/fit/trim.ts";

/** An entry that was shortened to fit a budget may have only the fields of `stubEntry`. */
export const entrySchema = z.strictObject({
  seq: z.int(),
  ts: z.string().optional(),
  ts_ms: z.int(),
  branch: z.string().optional(),
  doc: z.string().optional(),
  kind: z.string(),
  title: z.string().optional(),
  format: z.string().optional(),
  meta: z.record(z.string(), z.unknown()).optional(),
  content: z.string().optional(),
  agent_id: z.string().optional(),
  source_event_id: z.string().optional(),
});

export const stubEntry = ({ seq, ts_ms, kind, title }: Record<string, unknown>) => ({
  seq,
  ts_ms,
  kind,
  ...(title !== undefined && { title }),
});

/** Pages show the oldest entries first and drop them first. */
export const entryList: ListPlan = {
  key: "entries",
  oldest: "first",
  cursor: ({ seq }) => seq,
  stub: stubEntry,
};

const rel = z.enum(["branch", "revision"]);

export const sequentialSchema = z.strictObject({
  nodes: z.array(
    z.strictObject({
      thoughtNumber: z.int(),
      seq: z.int(),
      branchId: z.string().optional(),
      isRevision: z.literal(true).optional(),
    }),
  ),
  edges: z.array(z.strictObject({ rel, from: z.int(), to: z.int(), branchId: z.string().optional() })),
  missing: z.array(z.strictObject({ rel, thoughtNumber: z.int(), referredBy: z.int() })),
});

/** Derives the graph again from the entries that are shown. */
export function deriveAgain(result: Record<string, unknown>): Record<string, unknown> {
  if (result["sequential"] === undefined) return result;
  const { sequential: _whole, ...rest } = result;
  const sequential = deriveSequential(result["entries"] as Entry[]);
  return { ...rest, ...(sequential && { sequential }) };
}
