import { type CipherEdge, deriveEdges } from "../cipher/edges.ts";
import type { CipherStep } from "../cipher/notation.ts";
import { parseCipher } from "../cipher/parse.ts";
import { type Address, nodeId } from "../ledger/address.ts";
import type { ChainedThought, Thought } from "../ledger/thought.ts";

export const thoughtRelations = ["rests_on", "supports", "against", "revises", "rejects"] as const;
export type ThoughtRelation = (typeof thoughtRelations)[number];
export type TypedEdge = { from: Address; to: Address; relation: ThoughtRelation };

/** What the notation says of thoughts: how they relate, and which of them were given up. */
export type CipherGraph = {
  edges: readonly TypedEdge[];
  /** Given up by a step of type X, or a step of type X that names nothing. */
  isRejected(thought: Address): boolean;
  edgesFrom(thought: Address): readonly TypedEdge[];
  edgesTo(thought: Address): readonly TypedEdge[];
};

/** A hostile text can name thousands; nobody follows more. */
const mostEdges = 64;

const key = (address: Address): string => nodeId("", address);
const place = ({ branchId, thoughtNumber }: Address): Address =>
  branchId === undefined ? { thoughtNumber } : { branchId, thoughtNumber };

/** Thoughts in the order they arrived: a step refers to what was there before it, in its chain or where that forked from. */
export function cipherGraphOf(thoughts: readonly ChainedThought[]): CipherGraph {
  const chains = createChains();
  const edges: TypedEdge[] = [];
  const rejected = new Set<string>();
  for (const { data } of thoughts) {
    const steps = data.cipher ? (parseCipher(data.thought)?.steps ?? []) : [];
    const own = resolve(data, steps, chains.find);
    edges.push(...own);
    for (const { to, relation } of own) if (relation === "rejects") rejected.add(key(to));
    const givesUpNothing = !own.some(({ relation }) => relation === "rejects");
    if (givesUpNothing && steps.length > 0 && steps.every(({ type }) => type === "X"))
      rejected.add(key(data));
    chains.add(data, steps);
  }
  const from = groupBy(edges, (edge) => edge.from);
  const to = groupBy(edges, (edge) => edge.to);
  return {
    edges,
    isRejected: (address) => rejected.has(key(address)),
    edgesFrom: (address) => from.get(key(address)) ?? [],
    edgesTo: (address) => to.get(key(address)) ?? [],
  };
}

type Find = (branchId: string | undefined, number: number) => Address | undefined;

function resolve(data: Thought, steps: readonly CipherStep[], find: Find): TypedEdge[] {
  const types = new Map(steps.map(({ number, type }) => [number, type]));
  const found = new Map<string, TypedEdge>();
  for (const edge of deriveEdges(steps)) {
    if (found.size === mostEdges) break;
    if (!types.has(edge.from) || types.has(edge.to)) continue;
    const to = find(data.branchId, edge.to);
    const relation = relationOf(edge, types.get(edge.from));
    if (to) found.set(`${key(to)} ${relation}`, { from: place(data), to, relation });
  }
  if (data.revises) {
    const to = place(data.revises);
    found.set(`${key(to)} revises`, { from: place(data), to, relation: "revises" });
  }
  return [...found.values()];
}

/** Evidence supports what it names; every other step rests on it. */
function relationOf({ relation }: CipherEdge, type: string | undefined): ThoughtRelation {
  if (relation === "contradicts") return "against";
  if (relation === "supports") return type === "E" ? "supports" : "rests_on";
  return relation;
}

type Chain = { fork: Address | undefined; steps: Map<number, Address>; numbers: Set<number> };

function createChains() {
  const chains = new Map<string | undefined, Chain>();
  return {
    add(data: Thought, steps: readonly CipherStep[]): void {
      let chain = chains.get(data.branchId);
      if (!chain) {
        const { branchFromThought: thoughtNumber, branchFromBranch: branchId } = data;
        const fork = thoughtNumber === undefined ? undefined : { branchId, thoughtNumber };
        chain = { fork, steps: new Map(), numbers: new Set() };
        chains.set(data.branchId, chain);
      }
      chain.numbers.add(data.thoughtNumber);
      for (const { number } of steps) chain.steps.set(number, place(data));
    },
    /** The step of this number, else the thought of this number; in this chain, else before it forked. */
    find(branchId: string | undefined, number: number): Address | undefined {
      const seen = new Set<string | undefined>();
      let limit = Number.POSITIVE_INFINITY;
      for (let at = branchId; !seen.has(at); ) {
        seen.add(at);
        const chain = chains.get(at);
        if (!chain) return undefined;
        const step = chain.steps.get(number);
        if (step && step.thoughtNumber <= limit) return step;
        if (number <= limit && chain.numbers.has(number))
          return place({ branchId: at, thoughtNumber: number });
        if (!chain.fork) return undefined;
        limit = chain.fork.thoughtNumber;
        at = chain.fork.branchId;
      }
      return undefined;
    },
  };
}

function groupBy(edges: readonly TypedEdge[], end: (edge: TypedEdge) => Address): Map<string, TypedEdge[]> {
  const groups = new Map<string, TypedEdge[]>();
  for (const edge of edges) {
    const known = groups.get(key(end(edge)));
    if (known) known.push(edge);
    else groups.set(key(end(edge)), [edge]);
  }
  return groups;
}
