import * as z from "zod";
import { countUpTo, largest } from "../../kernel/numbers.ts";
import type { Steps } from "../../kernel/steps.ts";
import type { Session } from "../ledger/session.ts";
import { type Address, addressOf, nodeId } from "../ledger/thought.ts";
import type { ThoughtRelation } from "./cipher-graph.ts";
import { branchesOf, type ChainShape, durationOf, type SessionShape } from "./session-shape.ts";

export const patternsSchema = z.strictObject({
  totalThoughts: z.int(),
  revisionCount: z.int(),
  branchCount: z.int(),
  averageThoughtLength: z.int(),
});
export const cognitiveLoadSchema = z.strictObject({
  complexityScore: z.int(),
  depthIndicator: z.int(),
  breadthIndicator: z.int(),
});
export const decisionPointSchema = z.strictObject({
  thoughtNumber: z.int(),
  branchId: z.string().optional(),
  type: z.enum(["branch", "revision", "contradiction", "rejection"]),
  reference: z.int(),
  referenceBranchId: z.string().optional(),
});
export const timelineSchema = z.strictObject({
  createdAt: z.string(),
  updatedAt: z.string(),
  durationEstimate: z.string(),
  durationMs: z.int(),
});

export function describePatterns(shape: SessionShape): z.infer<typeof patternsSchema> {
  const { thoughts } = shape;
  const characters = thoughts.reduce((sum, { data }) => sum + data.thought.length, 0);
  return {
    totalThoughts: thoughts.length,
    revisionCount: shape.revisions.length,
    branchCount: branchesOf(shape).length,
    averageThoughtLength: thoughts.length === 0 ? 0 : Math.round(characters / thoughts.length),
  };
}

export function measureLoad(shape: SessionShape): z.infer<typeof cognitiveLoadSchema> {
  const branches = branchesOf(shape);
  const roots = rootsOf(shape);
  const depth = largest(roots.map(({ nesting }) => nesting));
  const score = 2 * shape.thoughts.length + 8 * shape.revisions.length + 10 * branches.length + 5 * depth;
  return {
    complexityScore: Math.min(100, score),
    depthIndicator: largest(roots.map(({ chain, before }) => before + chain.numbers.length)),
    breadthIndicator: maxOpenAtOnce([...shape.chains.values()]),
  };
}

type Root = {
  chain: ChainShape;
  /** 0 for the main chain, 1 for its branches, 2 for their branches … */
  nesting: number;
  /** The number of thoughts before this chain, up to and including its fork. 0 for the main chain. */
  before: number;
};

/** Finds how deep each chain is nested. One pass is enough: branches follow their parents in `chains`. */
function rootsOf({ chains }: SessionShape): Root[] {
  const roots = new Map<string | undefined, Root>();
  for (const chain of chains.values()) {
    const { branchId, fork } = chain;
    const parent = fork && roots.get(fork.branchId);
    const nesting = branchId === undefined ? 0 : (parent?.nesting ?? 0) + 1;
    const before = parent && fork ? parent.before + countUpTo(parent.chain.numbers, fork.thoughtNumber) : 0;
    roots.set(branchId, { chain, nesting, before });
  }
  return [...roots.values()];
}

/** Returns the maximum number of chains open at once. A chain is open from its first to its last thought. */
function maxOpenAtOnce(chains: readonly ChainShape[]): number {
  const changes = chains
    .flatMap(({ firstPosition, lastPosition }) => [
      { at: firstPosition, change: 1 },
      { at: lastPosition + 1, change: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.change - b.change);
  let [open, most] = [0, 0];
  for (const { change } of changes) {
    open += change;
    most = Math.max(most, open);
  }
  return most;
}

type DecisionPoint = z.infer<typeof decisionPointSchema>;

const decisionTypes: Partial<Record<ThoughtRelation, DecisionPoint["type"]>> = {
  revises: "revision",
  against: "contradiction",
  rejects: "rejection",
};

/**
 * Finds where the reasoning changed direction: forks, corrections, contradicted steps and rejected steps, in
 * order of arrival.
 */
export function* findDecisionPoints({ thoughts, graph }: SessionShape): Steps<DecisionPoint[]> {
  const arrivals = new Map<string, number>();
  for (const { position, data } of thoughts) {
    arrivals.set(nodeId("", data), position);
    yield;
  }
  const isEarlier = (a: Address, b: Address) =>
    (arrivals.get(nodeId("", a)) ?? 0) < (arrivals.get(nodeId("", b)) ?? 0);
  const points: DecisionPoint[] = [];
  for (const { data } of thoughts) {
    yield;
    const { branchFromThought, branchFromBranch } = data;
    const at = (type: DecisionPoint["type"], { branchId, thoughtNumber }: Address): DecisionPoint => ({
      ...addressOf(data),
      type,
      reference: thoughtNumber,
      ...(branchId !== undefined && { referenceBranchId: branchId }),
    });
    if (branchFromThought !== undefined)
      points.push(at("branch", { branchId: branchFromBranch, thoughtNumber: branchFromThought }));
    for (const { to, relation } of graph.edgesFrom(data)) {
      const type = decisionTypes[relation];
      // If a thought states that two earlier ones contradict each other, the later of the two is the turning point.
      if (type && isEarlier(to, data)) points.push(at(type, to));
    }
  }
  return points;
}

export function describeTimeline(session: Session, shape: SessionShape): z.infer<typeof timelineSchema> {
  const durationMs = durationOf(shape);
  return {
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
    durationEstimate: spellDuration(durationMs),
    durationMs,
  };
}

/** Returns text such as "2 h 5 min", "5 min 3 s" or "3 s". */
function spellDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes > 0) return seconds % 60 > 0 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  return `${seconds} s`;
}
