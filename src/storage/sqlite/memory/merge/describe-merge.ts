import { type GraphState, stateOf } from "../../../../domain/memory/graph.ts";
import type { FoundConflict, MergeKey } from "../../../../domain/memory/merge/decide-merge.ts";
import type { Conflict } from "../../../../domain/memory/steps/outcomes.ts";
import type { Stored } from "../graph/graph-rows.ts";
import { readVersions } from "../graph/graph-view.ts";
import type { MergeSides } from "./merge-facts.ts";

type States = ReadonlyMap<number, Stored>;

/** The contents of these keys on all sides, in one go. */
export function readStates({ place }: MergeSides, keys: readonly MergeKey[]): States {
  const seqs = keys.flatMap(({ base, theirs, ours }) =>
    [base, theirs, ours].flatMap((mark) => mark?.seq ?? []),
  );
  return readVersions(place, [...new Set(seqs)]);
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
