import { memoryFailure } from "../failures.ts";
import type { GraphState } from "../graph.ts";
import { isLive, type Mark, markOf, nothing } from "./three-way.ts";

export type Resolution = "use_from" | "use_into";

export type ResolutionFacts = {
  workspace: string;
  conflict: {
    conflict_id: string;
    from: string;
    into: string;
    doc: string;
    base: GraphState | null;
    theirs: GraphState;
    ours: GraphState | null;
    status: "open" | "resolved" | "preview";
    resolution?: Resolution | "moot" | undefined;
  };
  /** The key as both branches show it now. */
  now: { theirs: Mark | undefined; ours: Mark | undefined };
  /** The nodes of an edge, as both branches show them now. */
  ends: readonly { id: string; theirs: (Mark & { state: GraphState }) | undefined; ours: Mark | undefined }[];
  /** Live edges of the target at the node in question. */
  edgesHere: readonly GraphState[];
};

export type ResolutionDecision = {
  /** Written to the target, in this order. */
  writes: GraphState[];
  /** Keys that are settled with the source's version. */
  settle: { key: string; seq: number | undefined }[];
};

/** `undefined`: it was resolved this way before, and nothing is to be done. */
export function decideResolution(
  facts: ResolutionFacts,
  key: string,
  resolution: Resolution,
): ResolutionDecision | undefined {
  const { conflict, now, workspace } = facts;
  const { conflict_id, from, into, doc } = conflict;
  if (conflict.status === "resolved") {
    if (conflict.resolution === resolution) return undefined;
    throw memoryFailure("conflict_resolved", {
      workspace,
      conflict_id,
      resolution: String(conflict.resolution),
    });
  }
  const hasMoved =
    markOf(conflict.theirs) !== (now.theirs?.fingerprint ?? nothing) ||
    markOf(conflict.ours ?? undefined) !== (now.ours?.fingerprint ?? nothing);
  if (hasMoved) throw memoryFailure("conflict_stale", { workspace, conflict_id, from, into, doc });
  const settled = { key, seq: now.theirs?.seq };
  return resolution === "use_from" ? takeTheirs(facts, settled) : keepOurs(facts, settled);
}

/** What comes in brings what it needs: an edge its ends; a deleted node takes its edges along. */
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

/** The target keeps its edge, and so the nodes that the source deleted under it. */
function keepOurs(
  { ends }: ResolutionFacts,
  settled: ResolutionDecision["settle"][number],
): ResolutionDecision {
  const kept = ends.filter(({ theirs, ours }) => theirs !== undefined && !isLive(theirs) && isLive(ours));
  return { writes: [], settle: [settled, ...kept.map(({ id, theirs }) => ({ key: id, seq: theirs?.seq }))] };
}
