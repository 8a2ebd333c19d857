import { type Address, nodeId } from "./address.ts";

/** One thought without its text: what the index needs to place it. */
export type ThoughtLink = {
  position: number;
  address: Address;
  revises?: Address | undefined;
  /** Set on the first thought of a branch. */
  fork?: Address | undefined;
};

export type ThoughtNode = { id: string; address: Address; position: number; revisesNode: string | undefined };

/** A node's neighbours: `next` holds the following thought and the first thought of every branch from here. */
export type NodeLinks = { prev: string | undefined; next: string[]; branchOrigin: string | undefined };

export type BranchShape = { branchId: string; fork: Address; numbers: readonly number[] };

/**
 * The linked thought store: a session's shape in RAM with lookups that do not depend on its length. It
 * holds no text, so that a hundred thousand thoughts fit, and grows by `add` as thoughts arrive from any
 * process. Neighbours are looked up in the sorted chain, because numbers may arrive in any order.
 */
export function createThoughtIndex(sessionId: string) {
  const nodes = new Map<string, ThoughtNode>();
  const chains = new Map<string | undefined, Chain>();
  const forks = new Map<string, Address>();
  const revisedByIndex = new Map<string, string[]>();
  const branchChildrenIndex = new Map<string, string[]>();
  let position = 0;

  const idOf = (address: Address) => nodeId(sessionId, address);
  const numbersOf = (branchId: string | undefined) => chains.get(branchId)?.numbers() ?? [];

  return {
    sessionId,
    nodes: nodes as ReadonlyMap<string, ThoughtNode>,

    add({ position: at, address, revises, fork }: ThoughtLink): void {
      const { branchId, thoughtNumber } = address;
      const id = idOf(address);
      const revisesNode = revises && idOf(revises);
      nodes.set(id, { id, address, position: at, revisesNode });
      if (!chains.has(branchId)) chains.set(branchId, createChain());
      chains.get(branchId)?.add(thoughtNumber);
      if (fork && branchId !== undefined) {
        forks.set(branchId, fork);
        push(branchChildrenIndex, idOf(fork), branchId);
      }
      if (revisesNode !== undefined) push(revisedByIndex, revisesNode, id);
      position = Math.max(position, at);
    },

    /** Numbers of a chain in order; the main chain when no branch is named. */
    chain: numbersOf as (branchId?: string) => readonly number[],
    branches: (): BranchShape[] =>
      [...forks].map(([branchId, fork]) => ({ branchId, fork, numbers: numbersOf(branchId) })),
    find: (address: Address): ThoughtNode | undefined => nodes.get(idOf(address)),
    revisedBy: (id: string): readonly string[] => revisedByIndex.get(id) ?? [],
    revisions: (): ThoughtNode[] => [...revisedByIndex.values()].flat().flatMap((id) => nodes.get(id) ?? []),

    links({ id, address: { branchId, thoughtNumber } }: ThoughtNode): NodeLinks {
      const { before, after } = chains.get(branchId)?.around(thoughtNumber) ?? {};
      const fork = branchId === undefined ? undefined : forks.get(branchId);
      const branchOrigin = fork && idOf(fork);
      const firstOf = (child: string) => ({ branchId: child, thoughtNumber: numbersOf(child)[0] ?? 0 });
      return {
        prev: before === undefined ? branchOrigin : idOf({ branchId, thoughtNumber: before }),
        next: [
          ...(after === undefined ? [] : [idOf({ branchId, thoughtNumber: after })]),
          ...(branchChildrenIndex.get(id) ?? []).map((child) => idOf(firstOf(child))),
        ],
        branchOrigin,
      };
    },

    get size(): number {
      return nodes.size;
    },
    /** Highest position known; a fresher store is read from here on. */
    get position(): number {
      return position;
    },
  };
}

export type ThoughtIndex = ReturnType<typeof createThoughtIndex>;

type Chain = ReturnType<typeof createChain>;

/** Sorted when looked at, not when added to: counting down through 100,000 numbers stays cheap. */
function createChain() {
  const numbers: number[] = [];
  let sorted = true;
  const inOrder = (): readonly number[] => {
    if (!sorted) numbers.sort((a, b) => a - b);
    sorted = true;
    return numbers;
  };
  return {
    numbers: inOrder,
    add(number: number): void {
      sorted &&= number > (numbers.at(-1) ?? 0);
      numbers.push(number);
    },
    around(number: number): { before: number | undefined; after: number | undefined } {
      const all = inOrder();
      let [low, high] = [0, all.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((all[middle] ?? 0) < number) low = middle + 1;
        else high = middle;
      }
      return { before: all[low - 1], after: all[low + 1] };
    },
  };
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
