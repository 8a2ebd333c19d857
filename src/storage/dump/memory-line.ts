import * as z from "zod";
import {
  branchPattern,
  docPattern,
  memoryLimits,
  tagPattern,
  workspacePattern,
} from "../../domain/memory/limits.ts";
import { findHostileJson } from "../../kernel/json-guard.ts";
import type { MemoryLine } from "../../ports/memory/memory-dump.ts";

const seq = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
const ms = z.int().min(0).max(8_640_000_000_000_000);
const workspace = z.string().regex(workspacePattern);
const branchName = z.string().regex(branchPattern);
const uid = z.string().regex(/^[A-Za-z0-9._/-]{1,128}@\d{1,16}$/);
const doc = z.string().regex(docPattern);
const meta = z.record(z.string(), z.unknown()).optional();
const id = z.string().min(1).max(memoryLimits.nodeId);
const word = z.string().min(1).max(memoryLimits.word);
const written = { workspace, branch: uid, doc, seq, ts_ms: ms };

const state = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("node"),
    id,
    type: word,
    title: z.string().optional(),
    text: z.string().optional(),
    status: z.string().optional(),
    tags: z.array(z.string()).readonly().optional(),
    meta,
    deleted: z.boolean(),
  }),
  z.strictObject({ kind: z.literal("edge"), from: id, rel: word, to: id, meta, deleted: z.boolean() }),
]);

/** The lines of the memory. How long a text may be was decided when it was written. */
export const memoryLineSchemas = {
  workspace: z.strictObject({
    workspace: z.strictObject({
      name: workspace,
      created_at_ms: ms,
      project_guard: z.string().max(200).optional(),
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
      base_seq: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
      created_at_ms: ms,
      deleted_at_ms: ms.optional(),
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
  move: z.strictObject({
    move: z.strictObject({
      ...written,
      action: z.enum(["commit", "reset"]),
      previous: seq.optional(),
      current: seq,
      message: z.string(),
    }),
  }),
  tag: z.strictObject({
    tag: z.strictObject({
      workspace,
      name: z.string().regex(tagPattern),
      seq,
      ordinal: seq,
      created_at_ms: ms,
    }),
  }),
  conflict: z.strictObject({
    conflict: z.strictObject({
      workspace,
      id: z.string().regex(/^CONFLICT-[0-9a-f]{32}$/),
      doc,
      from: uid,
      into: uid,
      kind: z.enum(["node", "edge"]),
      key: z.string().min(1).max(1_000),
      status: z.enum(["open", "resolved"]),
      resolution: z.enum(["use_from", "use_into"]).optional(),
      base: state.optional(),
      theirs: state,
      ours: state.optional(),
      created_at_ms: ms,
      resolved_at_ms: ms.optional(),
    }),
  }),
} satisfies Record<string, z.ZodType<MemoryLine>>;

const kinds = Object.keys(memoryLineSchemas);

/** What no door would have let in. Looked for before the schema, which drops some of it without a word. */
export function holdsHostile(value: unknown): boolean {
  return findHostileJson(value) !== undefined || holdsNul(value);
}

/** The store would cut a text there. */
function holdsNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, member]) => key.includes("\0") || holdsNul(member));
}

export const isMemoryLine = <Line extends object>(line: Line): line is Line & MemoryLine =>
  kinds.some((kind) => Object.hasOwn(line, kind));
