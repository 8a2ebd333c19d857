import { memoryFailure, unknownConflict } from "../failures.ts";
import type { GraphState } from "../graph.ts";
import { deletedFingerprint } from "../graph.ts";
import type { Conflict } from "../steps/outcomes.ts";
import { isLive, type Mark, markOf } from "./decide-merge.ts";
import { marksOf } from "./fact-book.ts";
import { ask, type MergeRounds } from "./merge-questions.ts";
import { type MergeSides, pairSides } from "./merge-sides.ts";

export type Resolution = "use_from" | "use_into";

type ResolutionFacts = {
  workspace: string;
  conflict: Conflict;
  /** The current versions on both branches. */
  now: { theirs: Mark | undefined; ours: Mark | undefined };
  /** If the key is an edge, its nodes on both branches. */
  ends: readonly { id: string; theirs: (Mark & { state: GraphState }) | undefined; ours: Mark | undefined }[];
  /** If the key is a node, the target's live edges at that node. */
  edgesHere: readonly GraphState[];
};

export type ResolutionDecision = {
  /** Written to the target, in this order. */
  writes: GraphState[];
  /** Keys that are settled with the source's version. */
  settle: { key: string; seq: number | undefined }[];
};

/** Decides how to resolve a conflict. Returns `undefined` if the conflict was already resolved this way. */
export function* resolveConflict(
  workspace: string,
  id: string,
  resolution: Resolution,
): MergeRounds<{ sides: MergeSides; decision: ResolutionDecision } | undefined> {
  const { conflict: found } = yield* ask({ conflict: { id } });
  if (!found) throw unknownConflict(workspace, id);
  const { conflict, ...branches } = found;
  const [from, into] = [{ branch: branches.from }, { branch: branches.into }];
  if (isResolved(workspace, conflict, resolution)) return undefined;
  const { key, kind, theirs } = conflict;
  const { sides: facts } = yield* ask({ sides: { from, into, doc: conflict.doc } });
  const sides = pairSides({ workspace, from, into, doc: conflict.doc }, facts);
  const ends = theirs.kind === "edge" ? [...new Set([theirs.from, theirs.to])] : [];
  const { doc } = sides;
  const { marks, edges = [] } = yield* ask({
    marks: marksOf(sides, [key, ...ends]),
    edges: kind === "node" ? { doc, view: sides.into.view, nodes: [key] } : undefined,
  });
  const shown = new Map((marks ?? []).map((one) => [one.key, one]));
  const endsThere = ends.flatMap((end) => shown.get(end)?.theirs?.seq ?? []);
  const { marks: edgeMarks = [] } = yield* ask({ marks: marksOf(sides, edges) });
  const edgesHere = edgeMarks.flatMap(({ ours }) => ours?.seq ?? []);
  const seqs = [...endsThere, ...edgesHere];
  const { states = new Map() } = yield* ask({ states: seqs.length > 0 ? { seqs } : undefined });
  const decision = decideResolution(
    {
      workspace,
      conflict,
      now: { theirs: shown.get(key)?.theirs, ours: shown.get(key)?.ours },
      ends: ends.map((id) => {
        const { theirs: node, ours } = shown.get(id) ?? {};
        const state = node && states.get(node.seq);
        return { id, ours, theirs: node && state && { ...node, state } };
      }),
      edgesHere: edgesHere.flatMap((seq) => states.get(seq) ?? []),
    },
    key,
    resolution,
  );
  return { sides, decision };
}

function isResolved(workspace: string, conflict: Conflict, resolution: Resolution): boolean {
  if (conflict.status !== "resolved" || conflict.resolution === resolution)
    return conflict.status === "resolved";
  const { conflict_id } = conflict;
  throw memoryFailure("conflict_resolved", {
    workspace,
    conflict_id,
    resolution: String(conflict.resolution),
  });
}

function decideResolution(facts: ResolutionFacts, key: string, resolution: Resolution): ResolutionDecision {
  const { conflict, now, workspace } = facts;
  const { conflict_id, from, into, doc } = conflict;
  const hasMoved =
    markOf(conflict.theirs) !== (now.theirs?.fingerprint ?? deletedFingerprint) ||
    markOf(conflict.ours ?? undefined) !== (now.ours?.fingerprint ?? deletedFingerprint);
  if (hasMoved) throw memoryFailure("conflict_stale", { workspace, conflict_id, from, into, doc });
  const settled = { key, seq: now.theirs?.seq };
  return resolution === "use_from" ? takeTheirs(facts, settled) : keepOurs(facts, settled);
}

/** Writes the incoming version. An edge also brings its nodes, and a deleted node also removes its edges. */
function takeTheirs(
  { workspace, conflict, ends, edgesHere }: ResolutionFacts,
  settled: ResolutionDecision["settle"][number],
): ResolutionDecision {
  const { theirs } = conflict;
  if (theirs.deleted) {
    const torn = theirs.kind === "node" ? edgesHere.map((edge) => ({ ...edge, deleted: true })) : [];
    return { writes: [...torn, theirs], settle: [settled] };
  }
  const missing = ends.filter(({ ours }) => !isLive(ours));
  const brought = missing.flatMap(({ id, theirs: node }) => (node && isLive(node) ? [{ id, node }] : []));
  if (brought.length < missing.length) {
    const { conflict_id, from } = conflict;
    throw memoryFailure("edge_without_end", { workspace, conflict_id, from });
  }
  return {
    writes: [...brought.map(({ node }) => node.state), theirs],
    settle: [...brought.map(({ id, node }) => ({ key: id, seq: node.seq })), settled],
  };
}

/**
 * Keeps the target's edge, and therefore the nodes that the source deleted. If the target never had the edge,
 * a tombstone records the refusal, so a merge in the other direction deletes the edge without a new conflict.
 */
function keepOurs(
  { conflict, ends }: ResolutionFacts,
  settled: ResolutionDecision["settle"][number],
): ResolutionDecision {
  const { theirs, ours } = conflict;
  const refused = theirs.kind === "edge" && !theirs.deleted && !ours ? [{ ...theirs, deleted: true }] : [];
  const kept = ends.filter((end) => end.theirs !== undefined && !isLive(end.theirs) && isLive(end.ours));
  return {
    writes: refused,
    settle: [settled, ...kept.map((end) => ({ key: end.id, seq: end.theirs?.seq }))],
  };
}
