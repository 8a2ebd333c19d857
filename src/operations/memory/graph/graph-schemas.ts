import * as z from "zod";
import type { GraphState, GraphVersion } from "../../../domain/memory/graph.ts";
import type { changeSchema } from "./graph-fields.ts";

const stamp = { deleted: z.boolean().optional(), last_seq: z.int(), last_ts_ms: z.int().optional() };
const meta = z.record(z.string(), z.unknown()).optional();

export const nodeSchema = z.strictObject({
  id: z.string(),
  type: z.string(),
  title: z.string().optional(),
  text: z.string().optional(),
  status: z.string().optional(),
  tags: z.array(z.string()).optional(),
  meta,
  ...stamp,
});

export const edgeSchema = z.strictObject({
  from: z.string(),
  rel: z.string(),
  to: z.string(),
  meta,
  ...stamp,
});

/** As the tools show it: without `kind` and empty fields. */
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

/** Identifies a node by its ID, an edge by its three parts. */
function nameOf(state: GraphState) {
  return state.kind === "node"
    ? ({ kind: "node", id: state.id } as const)
    : ({ kind: "edge", key: { from: state.from, rel: state.rel, to: state.to } } as const);
}

type ShownChange = z.input<typeof changeSchema>;

export function showChange(version: GraphVersion): ShownChange {
  return { ...nameOf(version), to: showVersion(version) as ShownChange["to"] };
}

/** The number at which the next page of changes continues. */
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

/** A state inside a conflict. `null` if there was none. */
export function showState(state: GraphState | null): Record<string, unknown> | null {
  if (state === null) return null;
  const { kind: _kind, ...shown } = state;
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}
