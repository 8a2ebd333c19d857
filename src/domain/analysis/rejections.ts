import { type CipherEdge, deriveEdges } from "../cipher/edges.ts";
import type { CipherStep, CipherType } from "../cipher/notation.ts";
import type { Thought } from "../ledger/thought.ts";
import { type Address, addressOf, nodeId } from "../ledger/thought.ts";
import type { ThoughtRelation } from "./cipher-graph.ts";

/** The fields that are needed to place a thought in its chain. */
type PlacedThought = Pick<Thought, "branchId" | "thoughtNumber" | "branchFromThought" | "branchFromBranch">;

/**
 * The step that a number in the notation refers to. If `step` is absent, the number refers to the whole
 * thought.
 */
export type FoundStep = { to: Address; step?: number };

type Chain = { fork: Address | undefined; steps: Map<number, Address>; numbers: Set<number> };

/**
 * The maximum number of forks between a reference and its target. Prevents endless loops, because branches in
 * an imported file may fork from each other.
 */
const maxForks = 16;

/** How a step in a branch refers to the main line: `main:S3`. */
const mainLine = "main";

/** Finds steps in the part of the session read so far. */
export function createStepChains() {
  const chains = new Map<string | undefined, Chain>();
  return {
    /**
     * Records a fork, because the branch can refer to thoughts before the fork. Call this with the first
     * thought of a branch.
     */
    open({ branchId, branchFromThought, branchFromBranch }: PlacedThought): void {
      if (chains.has(branchId)) return;
      const fork =
        branchFromThought === undefined
          ? undefined
          : { branchId: branchFromBranch, thoughtNumber: branchFromThought };
      chains.set(branchId, { fork, steps: new Map(), numbers: new Set() });
    },
    add(data: PlacedThought, steps: readonly Pick<CipherStep, "number">[]): void {
      const chain = chains.get(data.branchId);
      chain?.numbers.add(data.thoughtNumber);
      for (const { number } of steps) chain?.steps.set(number, addressOf(data));
    },
    /**
     * Finds the step with this number, or the thought if there is no such step. Searches this chain, then each chain
     * that it forked from, up to the fork. `main` is the main line unless a branch has that name.
     */
    find(branchId: string | undefined, number: number): FoundStep | undefined {
      let limit = Number.POSITIVE_INFINITY;
      let at = branchId === mainLine && !chains.has(mainLine) ? undefined : branchId;
      for (let forks = 0; forks <= maxForks; forks += 1) {
        const chain = chains.get(at);
        if (!chain) return undefined;
        const step = chain.steps.get(number);
        if (step && step.thoughtNumber <= limit) return { to: step, step: number };
        if (number <= limit && chain.numbers.has(number))
          return { to: addressOf({ branchId: at, thoughtNumber: number }) };
        if (!chain.fork) return undefined;
        limit = chain.fork.thoughtNumber;
        at = chain.fork.branchId;
      }
      return undefined;
    },
  };
}

/**
 * If `step` is absent, the link ends at the whole thought. If `fromStep` is absent, the link starts at the
 * whole thought.
 */
export type Link = FoundStep & { from: Address; fromStep?: number; relation: ThoughtRelation };

type NumberedStep = Pick<CipherStep, "number" | "type">;
type Node = { types: Map<number, CipherType>; rejected: Set<number>; isGivenUp: boolean };

/**
 * The maximum number of references per thought. One range can refer to 200 steps, and a hostile text could
 * contain thousands of ranges.
 */
const maxNamings = 250;

const keyOf = (address: Address): string => nodeId("", address);

/** Finds rejected thoughts in the part of the session read so far. Add thoughts in order of arrival. */
export function createRejections() {
  const chains = createStepChains();
  const nodes = new Map<string, Node>();
  return {
    /** Adds a thought and returns its links. Only references in `linking` create links. */
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
    /**
     * True if X steps rejected the thought or all its other steps. Also true if the thought consists only of
     * X steps that do not reject, contradict or revise anything.
     */
    isRejected: (address: Address): boolean => isRejected(nodes.get(keyOf(address))),
    rejectedSteps: (address: Address): readonly number[] =>
      [...(nodes.get(keyOf(address))?.rejected ?? [])].sort((a, b) => a - b),
    get size(): number {
      return nodes.size;
    },
  };
}

export type Rejections = ReturnType<typeof createRejections>;

/** Resolves references from a thought's steps to earlier steps and thoughts, and to each other. */
function resolveLinks(
  data: PlacedThought,
  steps: readonly CipherStep[],
  types: ReadonlyMap<number, CipherType>,
  find: (branchId: string | undefined, number: number) => FoundStep | undefined,
): Link[] {
  const links: Link[] = [];
  const thoughtOf = (number: number, branch = data.branchId): FoundStep | undefined =>
    branch === data.branchId && types.has(number)
      ? { to: addressOf(data), step: number }
      : find(branch, number);
  for (const edge of deriveEdges(steps, maxNamings)) {
    const source = thoughtOf(edge.from, edge.fromBranch);
    const target = thoughtOf(edge.to, edge.toBranch);
    if (source && target)
      links.push({
        ...target,
        from: source.to,
        ...(source.step !== undefined && { fromStep: source.step }),
        relation: relationOf(edge, edge.fromBranch === undefined ? types.get(edge.from) : undefined),
      });
  }
  return links;
}

/** Maps `supports` to `rests_on` unless the step is evidence. Only evidence supports other steps. */
function relationOf({ relation }: CipherEdge, type: CipherType | undefined): ThoughtRelation {
  if (relation === "contradicts") return "against";
  if (relation === "supports") return type === "E" ? "supports" : "rests_on";
  return relation;
}

/** Rejects one step. If the reference does not name a step, rejects the whole thought. */
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
