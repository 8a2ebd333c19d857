import { changedFields, type GraphState, stateOf } from "../../../../domain/memory/graph.ts";
import {
  decideMerge,
  type FoundConflict,
  type MergeDecision,
  type MergeKey,
} from "../../../../domain/memory/merge/decide-merge.ts";
import { nothing } from "../../../../domain/memory/merge/three-way.ts";
import type { Conflict, GraphMerge, GraphMergeOutcome } from "../../../../ports/memory/graph.ts";
import type { Place } from "../places.ts";
import { closeConflicts, countOpenConflicts, openConflict } from "./conflicts.ts";
import { readVersions } from "./graph-view.ts";
import { changedKeys, loadMergeFacts, type MergeSides, openSides } from "./merge-facts.ts";
import { settle } from "./settled.ts";
import { openForWriting, writeVersions } from "./write-versions.ts";

type MergePlan = { sides: MergeSides; decision: MergeDecision; outcome: GraphMergeOutcome };

/** Decides for each key that `from` changed; writes nothing. */
export function planGraphMerge(place: Place, merge: GraphMerge, at: Date): MergePlan {
  const sides = openSides(place, merge);
  const changed = changedKeys(sides, merge.after, merge.limit + 1);
  const page = changed.slice(0, merge.limit);
  const decision = decideMerge(
    loadMergeFacts(
      sides,
      page.map(({ key }) => key),
    ),
  );
  const states = readStates(sides, decision);
  const conflicts = decision.conflicts.map((conflict) => describe(sides, conflict, states, at));
  const outcome = {
    merged: decision.apply.length,
    skipped: decision.skipped,
    conflicts: conflicts.filter((_, n) => decision.conflicts[n]?.isNew),
    conflictsOpen: countOpenConflicts(sides),
    summary: { ...summarise(decision.apply, states), conflicts: conflicts.length },
    lastSeq: page.at(-1)?.seq ?? merge.after,
    hasMore: changed.length > merge.limit,
  };
  return { sides, decision, outcome };
}

/** Call inside a write. Nobody sees half of it: it is one transaction, whatever the number of keys. */
export function mergeGraph(place: Place, merge: GraphMerge, at: Date): GraphMergeOutcome {
  const { sides, decision, outcome } = planGraphMerge(place, merge, at);
  const { apply, moot } = decision;
  if (apply.length > 0) {
    const graph = openForWriting(place, sides.into, merge.doc);
    const copies = apply.map(({ key, kind, theirs }) => ({
      key,
      kind,
      deleted: theirs?.fingerprint === nothing,
      copyOf: theirs?.seq ?? 0,
    }));
    writeVersions(graph, copies, at);
  }
  settle(sides, decision.settle);
  closeConflicts(place, moot, "moot", at);
  for (const conflict of outcome.conflicts) openConflict(sides, conflict);
  return {
    ...outcome,
    conflictsOpen: countOpenConflicts(sides),
    conflicts: outcome.conflicts.map((conflict) => ({ ...conflict, status: "open" })),
  };
}

type States = ReadonlyMap<number, GraphState>;

/** The contents of all that is written or told, in one go. */
function readStates({ place }: MergeSides, { apply, conflicts }: MergeDecision): States {
  const told = [...apply, ...conflicts.map(({ at }) => at)];
  const seqs = told.flatMap(({ base, theirs, ours }) =>
    [base, theirs, ours].flatMap((mark) => mark?.seq ?? []),
  );
  const stored = readVersions(place, [...new Set(seqs)]);
  return new Map([...stored].map(([seq, { version }]) => [seq, stateOf(version)]));
}

function summarise(applied: readonly MergeKey[], states: States) {
  const summary = { nodes_changed: 0, edges_changed: 0, node_fields_changed: 0, edge_fields_changed: 0 };
  for (const { kind, theirs, ours } of applied) {
    const [after, before] = [theirs, ours].map((mark) => (mark ? states.get(mark.seq) : undefined));
    summary[`${kind}s_changed`] += 1;
    if (after) summary[`${kind}_fields_changed`] += changedFields(before, after).length;
  }
  return summary;
}

function describe(
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
