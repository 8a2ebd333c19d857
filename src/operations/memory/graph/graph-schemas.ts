import * as z from "zod";
import { type GraphState, type GraphVersion, graphOpNames } from "../../../domain/memory/graph.ts";
import { memoryLimits } from "../../../domain/memory/limits.ts";
import type { Conflict } from "../../../domain/memory/steps/outcomes.ts";
import type { GraphMoment } from "../../../ports/memory/graph.ts";
import { meta } from "../fields.ts";

const stamp = { deleted: z.boolean().optional(), last_seq: z.int(), last_ts_ms: z.int().optional() };
const shownMeta = z.record(z.string(), z.unknown()).optional();

export const nodeSchema = z.strictObject({
  id: z.string(),
  type: z.string(),
  title: z.string().optional(),
  text: z.string().optional(),
  status: z.string().optional(),
  tags: z.array(z.string()).optional(),
  meta: shownMeta,
  ...stamp,
});

export const edgeSchema = z.strictObject({
  from: z.string(),
  rel: z.string(),
  to: z.string(),
  meta: shownMeta,
  ...stamp,
});

/** Returns a version without its `kind` and without empty fields. */
export function showVersion(version: GraphVersion): Record<string, unknown> {
  const { kind: _kind, ...shown } = version;
  return Object.fromEntries(
    Object.entries(shown).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

export const stubNode = ({ id, type, title, status, last_seq }: Record<string, unknown>) => ({
  id,
  type,
  ...(title !== undefined && { title }),
  ...(status !== undefined && { status }),
  last_seq,
});

function nameOf(state: GraphState) {
  return state.kind === "node"
    ? ({ kind: "node", id: state.id } as const)
    : ({ kind: "edge", key: { from: state.from, rel: state.rel, to: state.to } } as const);
}

type ShownChange = z.input<typeof changeSchema>;

export function showChange(version: GraphVersion): ShownChange {
  return { ...nameOf(version), to: showVersion(version) as ShownChange["to"] };
}

/** The cursor for the next page of changes. */
export const changeSeq = ({ to }: Record<string, unknown>): unknown => (to as { last_seq: number }).last_seq;

export function stubChange({ kind, id, key, to }: Record<string, unknown>): Record<string, unknown> {
  const { last_seq, deleted } = to as Record<string, unknown>;
  return {
    kind,
    ...(id !== undefined && { id }),
    ...(key !== undefined && { key }),
    to: { last_seq, deleted },
  };
}

/** `null` means that the node or edge did not exist. */
function showState(state: GraphState | null): Record<string, unknown> | null {
  if (state === null) return null;
  const { kind: _kind, ...shown } = state;
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}

const { nodeId, word, title, text, tags, tag } = memoryLimits;

export const nodeIdField = z.string().max(nodeId);

/** One flat shape for all kinds of operations. The domain checks which fields each operation has. */
export const graphOp = z.strictObject({
  op: z.enum(graphOpNames).describe("What to do."),
  id: nodeIdField.optional().describe("ID of the node."),
  type: z.string().max(word).optional().describe("Type of the node, such as hypothesis."),
  title: z.string().max(title).optional().describe("Title of the node."),
  text: z.string().max(text).optional().describe("Text of the node."),
  status: z.string().max(word).optional().describe("Status of the node."),
  tags: z.array(z.string().max(tag)).max(tags).optional().describe("Tags of the node."),
  meta: meta.optional(),
  from: nodeIdField.optional().describe("Node that the edge starts from."),
  rel: z.string().max(word).optional().describe("Relation of the edge, such as supports."),
  to: nodeIdField.optional().describe("Node that the edge points to."),
});

export const tagList = z.array(z.string().max(tag)).max(tags);

/** A state that was shortened to fit a budget may lack any field. */
export const stateSchema = z.strictObject({ ...nodeSchema.partial().shape, ...edgeSchema.partial().shape });

export const keySchema = z.union([
  z.string(),
  z.strictObject({ from: z.string(), rel: z.string(), to: z.string() }),
]);

export const changeSchema = z.strictObject({
  kind: z.enum(["node", "edge"]),
  id: z.string().optional(),
  key: keySchema.optional(),
  to: stateSchema,
});

const momentWords =
  "must be a number such as 1204, or a date or time such as 2026-11-17 or 2026-11-17T09:30:00Z";
const seqForm = /^\d{1,15}$/;
const timeForm = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2})?)?$/;
const isTime = (text: string): boolean => timeForm.test(text) && !Number.isNaN(timeOf(text));

const timeOf = (text: string): number => {
  if (text.length === 10) return Date.parse(`${text}T23:59:59.999Z`);
  return Date.parse(/(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`);
};

export const moment = z
  .string()
  .max(40)
  .refine((text) => seqForm.test(text) || isTime(text), momentWords)
  .describe(
    "Shows the graph as it was after the write with this seq, or at this time. A date means the end of that day, in UTC.",
  );

export const readMoment = (text: string): GraphMoment =>
  seqForm.test(text) ? { seq: Number(text) } : { ms: timeOf(text) };

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

const conflictState = z.record(z.string(), z.unknown()).nullable().optional();

export const conflictSchema = z.strictObject({
  conflict_id: z.string(),
  kind: z.string(),
  key: z.string(),
  from: z.string().optional(),
  into: z.string().optional(),
  doc: z.string().optional(),
  status: z.string(),
  resolution: z.string().optional(),
  base: conflictState,
  theirs: conflictState,
  ours: conflictState,
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
