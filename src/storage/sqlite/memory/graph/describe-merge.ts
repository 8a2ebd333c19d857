import { changedFields, type GraphState, stateOf } from "../../../../domain/memory/graph.ts";
import type { FoundConflict, MergeKey } from "../../../../domain/memory/merge/decide-merge.ts";
import type { Conflict } from "../../../../ports/memory/graph.ts";
import { readVersions } from "./graph-view.ts";
import type { MergeSides } from "./merge-facts.ts";

type States = ReadonlyMap<number, GraphState>;

/** The contents of all that is told of these keys, in one go. */
export function readStates({ place }: MergeSides, told: readonly MergeKey[]): States {
  const seqs = told.flatMap(({ base, theirs, ours }) =>
    [base, theirs, ours].flatMap((mark) => mark?.seq ?? []),
  );
  const stored = readVersions(place, [...new Set(seqs)]);
  return new Map([...stored].map(([seq, { version }]) => [seq, stateOf(version)]));
}

export const noChanges = {
  nodes_changed: 0,
  edges_changed: 0,
  node_fields_changed: 0,
  edge_fields_changed: 0,
};
type Summary = typeof noChanges;

export function summarise(applied: readonly MergeKey[], states: States): Summary {
  const summary = { ...noChanges };
  for (const { kind, theirs, ours } of applied) {
    const [after, before] = [theirs, ours].map((mark) => (mark ? states.get(mark.seq) : undefined));
    summary[`${kind}s_changed`] += 1;
    if (after) summary[`${kind}_fields_changed`] += changedFields(before, after).length;
  }
  return summary;
}

export function addSummaries(summaries: readonly Summary[]): Summary {
  const sum = { ...noChanges };
  for (const summary of summaries)
    for (const count of Object.keys(sum) as (keyof Summary)[]) sum[count] += summary[count];
  return sum;
}

export function describeConflict(
  { from, into, docName }: MergeSides,
  { id, at: { key, kind, base, theirs, ours } }: FoundConflict,
  states: States,
  at: Date,
): Conflict {
  const [was, comes, is] = [base, theirs, ours].map((mark) => (mark && states.get(mark.seq)) ?? null);
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
