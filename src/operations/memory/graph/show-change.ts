import type * as z from "zod";
import type { GraphState, GraphVersion } from "../../../domain/memory/graph.ts";
import type { changeSchema } from "./graph-fields.ts";
import { showVersion } from "./version-schemas.ts";

/** How a node or an edge is named: a node by its id, an edge by its three parts. */
export function nameOf(state: GraphState) {
  return state.kind === "node"
    ? ({ kind: "node", id: state.id } as const)
    : ({ kind: "edge", key: { from: state.from, rel: state.rel, to: state.to } } as const);
}

type ShownChange = z.input<typeof changeSchema>;

export function showChange(version: GraphVersion): ShownChange {
  return { ...nameOf(version), to: showVersion(version) as ShownChange["to"] };
}

/** A state inside a conflict; `null` where there was nothing. */
export function showState(state: GraphState | null): Record<string, unknown> | null {
  if (state === null) return null;
  const { kind: _kind, ...shown } = state;
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}
