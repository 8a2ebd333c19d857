import * as z from "zod";
import { runAtOnce, type Steps } from "../../kernel/steps.ts";
import { type CipherType, cipherTypes } from "../cipher/notation.ts";
import { parseCipher } from "../cipher/parse.ts";
import { structureNodeSchema } from "../ledger/chain/structure.ts";
import type { ChainedThought, Thought } from "../ledger/thought.ts";
import { type Address, addressOf, nodeId } from "../ledger/thought.ts";
import { createRejections, type Link } from "./rejections.ts";
import type { SessionShape } from "./session-shape.ts";
import { createStandings, type Standing } from "./standing.ts";

export const thoughtRelations = ["rests_on", "supports", "against", "revises", "rejects"] as const;
export type ThoughtRelation = (typeof thoughtRelations)[number];

export type TypedEdge = { from: Address; to: Address; relation: ThoughtRelation };

/** What the notation states about thoughts: how they relate, and which were rejected. */
export type CipherGraph = {
  /** Edges in the order of arrival of the thoughts that state them. */
  edges: readonly TypedEdge[];
  edgesFrom(thought: Address): readonly TypedEdge[];
  edgesTo(thought: Address): readonly TypedEdge[];
  /** Returns the distinct types of a thought's steps, in order. Empty for prose. */
  typesOf(thought: Address): readonly CipherType[];
  isRejected(thought: Address): boolean;
  standingOf(thought: Address): Standing;
  rejectedSteps(thought: Address): readonly number[];
};

const keyOf = (address: Address): string => nodeId("", address);

/** Builds the graph without pauses. Suitable only for small sets of thoughts. */
export const cipherGraphOf = (thoughts: readonly ChainedThought[]): CipherGraph =>
  runAtOnce(cipherGraphInSteps(thoughts));

/**
 * Builds the graph. Thoughts must be in order of arrival, because a step refers to earlier steps in its chain
 * or before the chain's fork.
 */
export function* cipherGraphInSteps(thoughts: readonly ChainedThought[]): Steps<CipherGraph> {
  const { add, typesOf, isRejected, rejectedSteps } = createRejections();
  const links = new Map<string, TypedEdge>();
  for (const { data } of thoughts) {
    const steps = data.cipher ? (parseCipher(data.thought)?.steps ?? []) : [];
    addLinks(links, data, add(data, steps, steps));
    yield;
  }
  const edges = yield* distinct(links.values());
  const addresses = new Map<string, Address>();
  const standings = createStandings<string>((key) => isRejected(addresses.get(key) ?? { thoughtNumber: 0 }));
  for (const { from, to, relation } of edges) {
    addresses.set(keyOf(from), from).set(keyOf(to), to);
    standings.add(keyOf(from), keyOf(to), relation);
    yield;
  }
  const from = yield* groupBy(edges, (edge) => edge.from);
  const to = yield* groupBy(edges, (edge) => edge.to);
  return {
    edges,
    edgesFrom: (address) => from.get(keyOf(address)) ?? [],
    edgesTo: (address) => to.get(keyOf(address)) ?? [],
    typesOf,
    isRejected,
    standingOf: (address) => (isRejected(address) ? "rejected" : standings.of(keyOf(address))),
    rejectedSteps,
  };
}

/** True if the last thought of a chain rejects something or was itself rejected. */
export const isDeadEnd = (graph: CipherGraph, last: Address): boolean =>
  graph.isRejected(last) || graph.typesOf(last).at(-1) === "X";

/** Weakest first. */
const strengths: readonly ThoughtRelation[] = ["rests_on", "supports", "against", "rejects", "revises"];

/**
 * Adds a thought's links. If several thoughts link the same two steps, keeps the strongest link. For example,
 * a later thought can state that evidence contradicts a step that the evidence supported earlier.
 */
function addLinks(known: Map<string, TypedEdge>, data: Thought, links: readonly Link[]): void {
  const add = (edge: TypedEdge, steps: string) => {
    const [from, to] = [keyOf(edge.from), keyOf(edge.to)];
    const key = `${from} ${to} ${steps}`;
    const before = known.get(key);
    if (from === to) return;
    if (before && strengths.indexOf(before.relation) >= strengths.indexOf(edge.relation)) return;
    known.delete(key);
    known.set(key, edge);
  };
  for (const { from, to, relation, fromStep, step } of links)
    add({ from, to, relation }, `${fromStep} ${step}`);
  if (data.revises) add({ from: addressOf(data), to: addressOf(data.revises), relation: "revises" }, "");
}

/** Reduces links to one edge of each kind between two thoughts. Omits links within a thought. */
function* distinct(links: Iterable<TypedEdge>): Steps<TypedEdge[]> {
  const edges = new Map<string, TypedEdge>();
  for (const edge of links) {
    const key = `${keyOf(edge.from)} ${keyOf(edge.to)} ${edge.relation}`;
    if (!edges.has(key)) edges.set(key, edge);
    yield;
  }
  return [...edges.values()];
}

function* groupBy(
  edges: readonly TypedEdge[],
  end: (edge: TypedEdge) => Address,
): Steps<Map<string, TypedEdge[]>> {
  const groups = new Map<string, TypedEdge[]>();
  for (const edge of edges) {
    const known = groups.get(keyOf(end(edge)));
    if (known) known.push(edge);
    else groups.set(keyOf(end(edge)), [edge]);
    yield;
  }
  return groups;
}

export const graphNodeSchema = structureNodeSchema.extend({
  type: z.string().optional(),
  /** Set if the steps of the thought have several types. */
  types: z.array(z.string()).optional(),
  edges: z.array(z.strictObject({ relation: z.enum(thoughtRelations), to: z.string() })).optional(),
  rejected: z.literal(true).optional(),
  /** Set if only some of its steps were rejected. */
  rejectedSteps: z.array(z.int()).optional(),
});

export function describeCipher(graph: CipherGraph, sessionId: string, address: Address) {
  const types = graph.typesOf(address);
  const edges = graph.edgesFrom(address).map(({ relation, to }) => ({ relation, to: nodeId(sessionId, to) }));
  const rejected = graph.isRejected(address);
  const rejectedSteps = rejected ? [] : graph.rejectedSteps(address);
  return {
    ...(types[0] !== undefined && { type: types[0] }),
    ...(types.length > 1 && { types: [...types] }),
    ...(edges.length > 0 && { edges }),
    ...(rejected && { rejected: true as const }),
    ...(rejectedSteps.length > 0 && { rejectedSteps: [...rejectedSteps] }),
  };
}

const countsSchema = z.record(z.string(), z.int());

export const cipherFiguresSchema = z.strictObject({
  thoughts: z.int(),
  types: countsSchema,
  edges: countsSchema,
  rejected: z.int(),
});

/** Returns `undefined` if no thought is written in cipher. */
export function cipherFiguresOf({
  thoughts,
  graph,
  rejected,
}: SessionShape): z.infer<typeof cipherFiguresSchema> | undefined {
  const steps = thoughts.flatMap(({ data }) => data.cipher ?? []);
  if (steps.length === 0) return undefined;
  return {
    thoughts: thoughts.filter(({ data }) => data.cipher).length,
    types: countEach(
      Object.keys(cipherTypes),
      steps.map(({ type }) => type),
    ),
    edges: countEach(
      thoughtRelations,
      graph.edges.map(({ relation }) => relation),
    ),
    rejected: rejected.length,
  };
}

function countEach(names: readonly string[], found: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries(
    names.flatMap((name) => (counts.has(name) ? [[name, counts.get(name) ?? 0]] : [])),
  );
}
