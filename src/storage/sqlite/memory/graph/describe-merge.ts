import { changedFields, type GraphState, stateOf } from "../../../../domain/memory/graph.ts";
import type { FoundConflict, MergeKey } from "../../../../domain/memory/merge/decide-merge.ts";
import type { Conflict } from "../../../../ports/memory/graph.ts";
import type { Stored } from "./graph-rows.ts";
import { readVersions } from "./graph-view.ts";
import type { MergeSides } from "./merge-facts.ts";

type States = ReadonlyMap<number, Stored>;

/** The contents of all that is told of these keys, in one go. */
export function readStates({ place }: MergeSides, told: readonly MergeKey[]): States {
  const seqs = told.flatMap(({ base, theirs, ours }) =>
    [base, theirs, ours].flatMap((mark) => mark?.seq ?? []),
  );
  return readVersions(place, [...new Set(seqs)]);
}

/** Of a key that is applied: how many fields become different. */
export function countChangedFields({ theirs, ours }: MergeKey, states: States): number {
  const [after, before] = [theirs, ours].map((mark) => (mark ? states.get(mark.seq)?.version : undefined));
  return after ? changedFields(before, after).length : 0;
}

export function summarise(applied: readonly MergeKey[], fieldsOf: (key: MergeKey) => number) {
  const summary = { nodes_changed: 0, edges_changed: 0, node_fields_changed: 0, edge_fields_changed: 0 };
  for (const key of applied) {
    summary[`${key.kind}s_changed`] += 1;
    summary[`${key.kind}_fields_changed`] += fieldsOf(key);
  }
  return summary;
}

export function describeConflict(
  { from, into, docName }: MergeSides,
  { id, at: { key, kind, base, theirs, ours } }: FoundConflict,
  states: States,
  at: Date,
): Conflict {
  const [was, comes, is] = [base, theirs, ours].map((mark) => {
    const stored = mark && states.get(mark.seq);
    return stored ? stateOf(stored.version) : null;
  });
  return {
    conflict_id: id,
    kind,
    key,
    from: from.name,
    into: into.name,
    doc: docName,
    status: "preview",
    base: was ?? null,
    theirs: comes ?? absent(is, key),
    ours: is ?? null,
    created_at_ms: at.getTime(),
  };
}

/** An edge that the source never had, and that loses its end there. */
function absent(ours: GraphState | null | undefined, key: string): GraphState {
  if (!ours) throw new Error(`neither side of the conflict at ${key} holds anything`);
  return { ...ours, deleted: true };
}
