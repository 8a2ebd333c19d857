import * as z from "zod";
import {
  describeTable,
  dumpParts,
  highestSeq,
  type TableLine,
  type TableName,
  tableNames,
} from "../../domain/memory/dump-tables.ts";
import { branchPattern } from "../../domain/memory/limits.ts";
import { findHostileJson } from "../../kernel/json/json-guard.ts";
import type { MemoryLine } from "../../ports/memory/memory-dump.ts";

const { seq, time: ms, workspace, branchUid: uid, doc, meta, graphState: state } = dumpParts;
const branchName = z.string().regex(branchPattern);
const written = { workspace, branch: uid, doc, seq, ts_ms: ms };

/** Lines for the described tables. */
const rowSchemas = Object.fromEntries(
  tableNames.map((name) => {
    const { of, fields } = describeTable(name);
    const own = Object.entries(fields).map(([field, { schema }]) => [field, schema]);
    const place = of === "stream" ? written : { workspace };
    return [name, z.strictObject({ [name]: z.strictObject({ ...place, ...Object.fromEntries(own) }) })];
  }),
) as unknown as { [Name in TableName]: z.ZodType<Record<Name, TableLine<Name>>> };

/** The lines of the memory. */
export const memoryLineSchemas = {
  workspace: z.strictObject({
    workspace: z.strictObject({
      name: workspace,
      created_at_ms: ms,
      project_guard: z.string().max(200).optional(),
      project: z.string().max(200).optional(),
      checkout: uid,
      last_entry: seq.optional(),
    }),
  }),
  branch: z.strictObject({
    branch: z.strictObject({
      workspace,
      uid,
      name: branchName,
      base: uid.optional(),
      base_seq: z.int().min(0).max(highestSeq).optional(),
      created_at_ms: ms,
      deleted_at_ms: ms.optional(),
      erased: z.literal(true).optional(),
    }),
  }),
  entry: z.strictObject({
    entry: z.strictObject({
      ...written,
      kind: z.enum(["note", "event"]),
      title: z.string().optional(),
      format: z.string().optional(),
      meta,
      content: z.string(),
      agent_id: z.string().optional(),
      origin: seq.optional(),
      source_event_id: z.string().max(1_000).optional(),
    }),
  }),
  commit: z.strictObject({ commit: z.strictObject({ workspace, seq, parent: seq.optional() }) }),
  version: z.strictObject({
    version: z.strictObject({ ...written, state, keeps: z.literal(true).optional() }),
  }),
  ...rowSchemas,
} satisfies Record<string, z.ZodType<MemoryLine>>;

const deepest = 64;
const kinds = Object.keys(memoryLineSchemas);

/** Content that no entry point accepts. Checked before the schema, which silently drops some of it. */
export const holdsHostile = (value: unknown): boolean => findHostileJson(value) !== undefined;

/**
 * Thoughts and notes were validated when they were written. This only refuses structures that are too deep to traverse.
 */
export function isTooDeep(value: unknown, depth = 1): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth > deepest || Object.values(value).some((member) => isTooDeep(member, depth + 1));
}

export const isMemoryLine = <Line extends object>(line: Line): line is Line & MemoryLine =>
  kinds.some((kind) => Object.hasOwn(line, kind));
