import { changedFields, stateOf } from "../../../../domain/memory/graph.ts";
import { conflictId, decide, type ThreeStates } from "../../../../domain/memory/three-way.ts";
import { ThoughtboxError } from "../../../../kernel/errors.ts";
import { quote } from "../../../../kernel/text.ts";
import type { Conflict, GraphMerge, GraphMergeOutcome } from "../../../../ports/memory/graph.ts";
import { type BranchRow, findDoc, type Place, requireBranch } from "../places.ts";
import { insertConflict, isKnownConflict } from "./conflicts.ts";
import { decodeVersion, type Stored } from "./graph-rows.ts";
import {
  currentIn,
  type GraphView,
  openView,
  readVersion,
  type VersionRow,
  viewAlong,
  visibleVersions,
} from "./graph-view.ts";
import { openForWriting, writeVersion } from "./graph-write.ts";

/** Only this many conflicts are found by one merge; the rest by the next, so that an answer stays readable. */
const conflictsAtOnce = 200;

type Plan = {
  from: BranchRow;
  into: BranchRow;
  toApply: ThreeStates[];
  newConflicts: Conflict[];
  outcome: GraphMergeOutcome;
};

/** Decides for each key that `from` changed since it left `into`; writes nothing. */
export function planGraphMerge(place: Place, merge: GraphMerge, at: Date): Plan {
  const from = requireBranch(place, merge.from);
  const into = requireBranch(place, merge.into);
  if (from.base !== into.bid) throw notItsBase(place, from, into);
  const doc = findDoc(place, merge.doc);
  const ours = openView(place, into.bid, merge.doc);
  const base = viewAlong(place, ours.lineage.map(upTo(from.baseSeq)), doc);
  const changed = changedKeys(place, from.bid, doc, merge.after, merge.limit + 1);
  const plan: Plan = { from, into, toApply: [], newConflicts: [], outcome: emptyOutcome(merge.after) };
  for (const stored of changed.slice(0, merge.limit)) {
    if (plan.newConflicts.length === conflictsAtOnce) {
      plan.outcome.hasMore = true;
      return withConflicts(plan);
    }
    judge(place, plan, stored, { base, ours }, merge.doc, at);
    plan.outcome.lastSeq = stored.version.last_seq;
  }
  plan.outcome.hasMore = changed.length > merge.limit;
  return withConflicts(plan);
}

const withConflicts = (plan: Plan): Plan => {
  plan.outcome.conflicts = plan.newConflicts;
  return plan;
};

const upTo =
  (baseSeq: number) =>
  <Part extends { upTo: number }>(segment: Part): Part => ({
    ...segment,
    upTo: Math.min(segment.upTo, baseSeq),
  });

function emptyOutcome(after: number): GraphMergeOutcome {
  const summary = { nodes_changed: 0, edges_changed: 0, node_fields_changed: 0, edge_fields_changed: 0 };
  return { merged: 0, skipped: 0, conflicts: [], summary, lastSeq: after, hasMore: false };
}

/** What a branch itself holds now, oldest first. */
function changedKeys(
  place: Place,
  bid: number,
  doc: number | undefined,
  after: number,
  limit: number,
): Stored[] {
  return place.connection
    .sql(
      `SELECT * FROM graph_versions WHERE doc = ? AND bid = ? AND visible = 1 AND superseded IS NULL AND seq > ?
       ORDER BY seq LIMIT ?`,
    )
    .all(doc ?? 0, bid, after, limit)
    .map(decodeVersion);
}

export function countChangedKeys(place: Place, bid: number, docName: string): number {
  const row = place.connection
    .sql(
      `SELECT count(*) AS keys FROM graph_versions WHERE doc = ? AND bid = ? AND visible = 1 AND superseded IS NULL`,
    )
    .get(findDoc(place, docName) ?? 0, bid);
  return Number(row?.["keys"] ?? 0);
}

function judge(
  place: Place,
  { from, into, toApply, newConflicts, outcome }: Plan,
  theirs: Stored,
  views: { base: GraphView; ours: GraphView },
  doc: string,
  at: Date,
): void {
  const { key } = theirs;
  const { base, ours } = versionsIn(views, key);
  const states: ThreeStates = {
    base: base && stateOf(base.version),
    theirs: stateOf(theirs.version),
    ours: ours && stateOf(ours.version),
  };
  const verdict = decide({
    base: base?.fingerprint,
    theirs: theirs.fingerprint,
    ours: ours?.fingerprint,
  });
  if (verdict === "conflict") {
    const id = conflictId({ from: from.uid, into: into.uid, doc, key }, states);
    if (isKnownConflict(place, id)) outcome.skipped += 1;
    else newConflicts.push(describe(id, key, states, { from: from.name, into: into.name, doc }, at));
    return;
  }
  if (verdict === "skip") {
    outcome.skipped += 1;
    return;
  }
  toApply.push(states);
  outcome.merged += 1;
  const fields = changedFields(states.ours, states.theirs).length;
  const { summary } = outcome;
  if (states.theirs.kind === "node") {
    summary.nodes_changed += 1;
    summary.node_fields_changed += fields;
  } else {
    summary.edges_changed += 1;
    summary.edge_fields_changed += fields;
  }
}

/** Mostly one and the same version, then read once. */
function versionsIn(views: { base: GraphView; ours: GraphView }, key: string) {
  const versions = visibleVersions(views.ours, key);
  const [base, ours] = [currentIn(views.base, versions), currentIn(views.ours, versions)];
  const read = (row: VersionRow | undefined) => row && readVersion(views.ours.place, row.seq);
  const held = read(ours);
  return { base: base?.seq === ours?.seq ? held : read(base), ours: held };
}

function describe(
  conflict_id: string,
  key: string,
  { base, theirs, ours }: ThreeStates,
  place: { from: string; into: string; doc: string },
  at: Date,
): Conflict {
  const states = { base: base ?? null, theirs, ours: ours ?? null };
  return {
    conflict_id,
    kind: theirs.kind,
    key,
    ...place,
    status: "preview",
    ...states,
    created_at_ms: at.getTime(),
  };
}

/** Call inside a write. */
export function mergeGraph(place: Place, merge: GraphMerge, at: Date): GraphMergeOutcome {
  const { from, into, toApply, newConflicts, outcome } = planGraphMerge(place, merge, at);
  if (toApply.length === 0 && newConflicts.length === 0) return outcome;
  const graph = openForWriting(place, into, merge.doc);
  for (const { theirs } of toApply) writeVersion(graph, theirs, at);
  for (const conflict of newConflicts)
    insertConflict(place, conflict, { doc: graph.doc, from: from.bid, into: into.bid });
  return { ...outcome, conflicts: newConflicts.map((conflict) => ({ ...conflict, status: "open" })) };
}

function notItsBase({ workspace }: Place, from: BranchRow, into: BranchRow): ThoughtboxError {
  const merge = { workspace, from: from.name, merge_to_base: true, dry_run: true };
  return new ThoughtboxError(
    "MERGE_NOT_SUPPORTED",
    `A graph is merged back into the branch it was made from, and ${quote(into.name)} is not the base of ${quote(from.name)}.`,
    {
      details: { from: from.name, into: into.name },
      recovery:
        from.base === undefined
          ? { hint: "It has no base; see the branches.", operation: "branch_list", args: { workspace } }
          : { hint: "See what merging into its base would do.", operation: "graph_merge", args: merge },
    },
  );
}
