import { type CipherEdge, deriveEdges } from "../cipher/edges.ts";
import type { CipherStep, CipherType } from "../cipher/notation.ts";
import { parseCipher } from "../cipher/parse.ts";
import { type Address, addressOf, nodeId } from "../ledger/address.ts";
import type { ChainedThought, Thought } from "../ledger/thought.ts";
import { createStepChains, type FoundStep } from "./step-chains.ts";

export const thoughtRelations = ["rests_on", "supports", "against", "revises", "rejects"] as const;
export type ThoughtRelation = (typeof thoughtRelations)[number];
export type TypedEdge = { from: Address; to: Address; relation: ThoughtRelation };

/** What the notation says of thoughts: how they relate, and which of them were given up. */
export type CipherGraph = {
  /** In the order of arrival of the thoughts that name them. */
  edges: readonly TypedEdge[];
  edgesFrom(thought: Address): readonly TypedEdge[];
  edgesTo(thought: Address): readonly TypedEdge[];
  /** Distinct types of a thought's steps, in order; empty for prose. */
  typesOf(thought: Address): readonly CipherType[];
  /** Every step of it was given up by a step of type X, or it is such a step that names nothing. */
  isRejected(thought: Address): boolean;
  /** Numbers of the steps of it that were given up. */
  rejectedSteps(thought: Address): readonly number[];
};

/** A hostile text can name thousands; nobody follows more. A range covers 200. */
const maxNamings = 250;

type Node = { types: Map<number, CipherType>; rejected: Set<number>; isGivenUp: boolean };

const keyOf = (address: Address): string => nodeId("", address);

/** Thoughts in the order they arrived: a step refers to what was there before it, in its chain or where that forked from. */
export function cipherGraphOf(thoughts: readonly ChainedThought[]): CipherGraph {
  const chains = createStepChains();
  const nodes = new Map<string, Node>();
  const edges: TypedEdge[] = [];
  for (const { data } of thoughts) {
    const steps = data.cipher ? (parseCipher(data.thought)?.steps ?? []) : [];
    const node: Node = {
      types: new Map(steps.map(({ number, type }) => [number, type])),
      rejected: new Set(),
      isGivenUp: false,
    };
    nodes.set(keyOf(data), node);
    chains.open(data);
    const links = resolveLinks(data, steps, node, chains.find);
    for (const link of links) if (link.relation === "rejects") giveUp(nodes.get(keyOf(link.to)), link);
    const marksOthers = links.some(({ relation }) => relation !== "rests_on" && relation !== "supports");
    node.isGivenUp = isOnlyX(node) && !marksOthers;
    for (const edge of distinctEdges(data, links)) edges.push(edge);
    chains.add(data, steps);
  }
  const from = groupBy(edges, (edge) => edge.from);
  const to = groupBy(edges, (edge) => edge.to);
  const nodeOf = (address: Address) => nodes.get(keyOf(address));
  return {
    edges,
    edgesFrom: (address) => from.get(keyOf(address)) ?? [],
    edgesTo: (address) => to.get(keyOf(address)) ?? [],
    typesOf: (address) => [...new Set(nodeOf(address)?.types.values())],
    isRejected: (address) => isRejected(nodeOf(address)),
    rejectedSteps: (address) => [...(nodeOf(address)?.rejected ?? [])].sort((a, b) => a - b),
  };
}

/** Whether a chain that ends here leads nowhere: its last word gives something up, or was given up itself. */
export const isDeadEnd = (graph: CipherGraph, last: Address): boolean =>
  graph.isRejected(last) || graph.typesOf(last).at(-1) === "X";

/** One end of it is a thought of its own, or both are steps of the same thought. */
type Link = FoundStep & { from: Address; relation: ThoughtRelation };

function resolveLinks(
  data: Thought,
  steps: readonly CipherStep[],
  { types }: Node,
  find: (branchId: string | undefined, number: number) => FoundStep | undefined,
): Link[] {
  const links: Link[] = [];
  const look = (number: number): FoundStep | undefined =>
    types.has(number) ? { to: addressOf(data), step: number } : find(data.branchId, number);
  for (const edge of deriveEdges(steps, maxNamings)) {
    const [source, target] = [look(edge.from), look(edge.to)];
    if (source && target)
      links.push({ ...target, from: source.to, relation: relationOf(edge, types.get(edge.from)) });
  }
  return links;
}

/** Evidence supports what it names; every other step rests on it. */
function relationOf({ relation }: CipherEdge, type: CipherType | undefined): ThoughtRelation {
  if (relation === "contradicts") return "against";
  if (relation === "supports") return type === "E" ? "supports" : "rests_on";
  return relation;
}

/** One of each kind between two thoughts; what a thought says of its own steps is no edge of the graph. */
function distinctEdges(data: Thought, links: readonly Link[]): TypedEdge[] {
  const found = new Map<string, TypedEdge>();
  const add = (edge: TypedEdge) => {
    const [from, to] = [keyOf(edge.from), keyOf(edge.to)];
    if (from !== to) found.set(`${from} ${to} ${edge.relation}`, edge);
  };
  for (const { from, to, relation } of links) add({ from, to, relation });
  if (data.revises) add({ from: addressOf(data), to: addressOf(data.revises), relation: "revises" });
  return [...found.values()];
}

/** A thought that is named by its own number, or that holds no steps, is given up as a whole. */
function giveUp(node: Node | undefined, { step }: FoundStep): void {
  if (!node) return;
  if (step === undefined) node.isGivenUp = true;
  else node.rejected.add(step);
}

const isOnlyX = ({ types }: Node): boolean =>
  types.size > 0 && [...types.values()].every((type) => type === "X");

function isRejected(node: Node | undefined): boolean {
  if (!node || node.isGivenUp) return node?.isGivenUp ?? false;
  if (node.rejected.size === 0) return false;
  return [...node.types].every(([number, type]) => type === "X" || node.rejected.has(number));
}

function groupBy(edges: readonly TypedEdge[], end: (edge: TypedEdge) => Address): Map<string, TypedEdge[]> {
  const groups = new Map<string, TypedEdge[]>();
  for (const edge of edges) {
    const known = groups.get(keyOf(end(edge)));
    if (known) known.push(edge);
    else groups.set(keyOf(end(edge)), [edge]);
  }
  return groups;
}
