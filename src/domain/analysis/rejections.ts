import { type CipherEdge, deriveEdges } from "../cipher/edges.ts";
import type { CipherStep, CipherType } from "../cipher/notation.ts";
import { type Address, addressOf, nodeId } from "../ledger/address.ts";
import type { ThoughtRelation } from "./cipher-graph.ts";
import { createStepChains, type FoundStep, type PlacedThought } from "./step-chains.ts";

/** One end of it is a thought of its own, or both are steps of the same thought. */
export type Link = FoundStep & { from: Address; fromStep?: number; relation: ThoughtRelation };

type NumberedStep = Pick<CipherStep, "number" | "type">;
type Node = { types: Map<number, CipherType>; rejected: Set<number>; isGivenUp: boolean };

/** A hostile text can name thousands; nobody follows more. A range covers 200. */
const maxNamings = 250;

const keyOf = (address: Address): string => nodeId("", address);

/** Which thoughts were given up, as far as a session has been read: thoughts are added in the order they arrived. */
export function createRejections() {
  const chains = createStepChains();
  const nodes = new Map<string, Node>();
  return {
    /** `linking`: those of the steps whose references count. */
    add(data: PlacedThought, steps: readonly NumberedStep[], linking: readonly CipherStep[]): Link[] {
      const types = new Map(steps.map(({ number, type }) => [number, type]));
      const node: Node = { types, rejected: new Set(), isGivenUp: false };
      nodes.set(keyOf(data), node);
      chains.open(data);
      const links = resolveLinks(data, linking, types, chains.find);
      for (const link of links) if (link.relation === "rejects") giveUp(nodes.get(keyOf(link.to)), link);
      const marksOthers = links.some(({ relation }) => relation !== "rests_on" && relation !== "supports");
      node.isGivenUp = isOnlyX(node) && !marksOthers;
      chains.add(data, steps);
      return links;
    },
    typesOf: (address: Address): readonly CipherType[] => [
      ...new Set(nodes.get(keyOf(address))?.types.values()),
    ],
    /** Every step of it was given up by a step of type X, or it is such a step that names nothing. */
    isRejected: (address: Address): boolean => isRejected(nodes.get(keyOf(address))),
    /** Numbers of the steps of it that were given up. */
    rejectedSteps: (address: Address): readonly number[] =>
      [...(nodes.get(keyOf(address))?.rejected ?? [])].sort((a, b) => a - b),
    get size(): number {
      return nodes.size;
    },
  };
}

export type Rejections = ReturnType<typeof createRejections>;

/** What the steps of a thought say of steps and thoughts that arrived before it, and of each other. */
export function resolveLinks(
  data: PlacedThought,
  steps: readonly CipherStep[],
  types: ReadonlyMap<number, CipherType>,
  find: (branchId: string | undefined, number: number) => FoundStep | undefined,
): Link[] {
  const links: Link[] = [];
  const thoughtOf = (number: number): FoundStep | undefined =>
    types.has(number) ? { to: addressOf(data), step: number } : find(data.branchId, number);
  for (const edge of deriveEdges(steps, maxNamings)) {
    const [source, target] = [thoughtOf(edge.from), thoughtOf(edge.to)];
    if (source && target)
      links.push({
        ...target,
        from: source.to,
        ...(source.step !== undefined && { fromStep: source.step }),
        relation: relationOf(edge, types.get(edge.from)),
      });
  }
  return links;
}

/** Evidence supports what it names; every other step rests on it. */
function relationOf({ relation }: CipherEdge, type: CipherType | undefined): ThoughtRelation {
  if (relation === "contradicts") return "against";
  if (relation === "supports") return type === "E" ? "supports" : "rests_on";
  return relation;
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
