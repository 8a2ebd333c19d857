import { type Address, addressOf, nodeId } from "../thought.ts";

/** A thought without its text. */
export type ThoughtLink = {
  position: number;
  address: Address;
  revises?: Address | undefined;
  /** Set on the first thought of a branch. */
  fork?: Address | undefined;
};

export type ThoughtNode = {
  id: string;
  address: Address;
  position: number;
  revises: Address | undefined;
  revisesNode: string | undefined;
};

/**
 * A node's neighbours, in order of arrival. `next` contains the following thought in its chain and the first
 * thought of every branch that forks from this node.
 */
export type NodeLinks = { prev: string | undefined; next: string[]; branchOrigin: string | undefined };

export type BranchShape = { branchId: string; fork: Address; numbers: readonly number[] };

/**
 * Indexes a session's structure in RAM. Contains no text and few numbers per thought, so a hundred thousand
 * thoughts fit in RAM. `add` extends it as thoughts arrive from any process, in order of position.
 */
export function createThoughtIndex(sessionId: string) {
  const chains = new Map<string | undefined, Chain>();
  const forks = new Map<string, Address>();
  const revisions = new Map<string, ThoughtNode>();
  const revisedByIndex = new Map<string, string[]>();
  const branchChildrenIndex = new Map<string, string[]>();
  let size = 0;
  let position = 0;
  let nodes: Map<string, ThoughtNode> | undefined;

  const idOf = (address: Address) => nodeId(sessionId, address);
  const numbersOf = (branchId: string | undefined) => chains.get(branchId)?.numbers() ?? [];

  function chainOf(branchId: string | undefined): Chain {
    let chain = chains.get(branchId);
    if (!chain) {
      chain = createChain();
      chains.set(branchId, chain);
    }
    return chain;
  }

  function toNode(branchId: string | undefined, thoughtNumber: number, at: number): ThoughtNode {
    const address = addressOf({ branchId, thoughtNumber });
    const id = idOf(address);
    return revisions.get(id) ?? { id, address, position: at, revises: undefined, revisesNode: undefined };
  }

  /** Builds the nodes on demand, because few callers need all of them. */
  function listNodes(): Map<string, ThoughtNode> {
    const all = [...chains].flatMap(([branchId, chain]) =>
      chain.entries().map(({ number, at }) => toNode(branchId, number, at)),
    );
    return new Map(all.sort((a, b) => a.position - b.position).map((node) => [node.id, node]));
  }

  return {
    sessionId,
    /** All nodes, in order of arrival. */
    get nodes(): ReadonlyMap<string, ThoughtNode> {
      nodes ??= listNodes();
      return nodes;
    },

    add({ position: at, address, revises, fork }: ThoughtLink): void {
      const { branchId, thoughtNumber } = address;
      chainOf(branchId).add(thoughtNumber, at);
      if (fork && branchId !== undefined) {
        forks.set(branchId, fork);
        push(branchChildrenIndex, idOf(fork), branchId);
      }
      if (revises) {
        const [id, revisesNode] = [idOf(address), idOf(revises)];
        revisions.set(id, { id, address, position: at, revises, revisesNode });
        push(revisedByIndex, revisesNode, id);
      }
      size += 1;
      position = Math.max(position, at);
      nodes = undefined;
    },

    /** Returns the numbers of a chain in order. Omit `branchId` for the main chain. */
    chain: numbersOf as (branchId?: string) => readonly number[],
    branches: (): BranchShape[] =>
      [...forks].map(([branchId, fork]) => ({ branchId, fork, numbers: numbersOf(branchId) })),
    find({ branchId, thoughtNumber }: Address): ThoughtNode | undefined {
      const at = chains.get(branchId)?.positionOf(thoughtNumber);
      return at === undefined ? undefined : toNode(branchId, thoughtNumber, at);
    },
    revisedBy: (id: string): readonly string[] => revisedByIndex.get(id) ?? [],
    revisions: (): ThoughtNode[] => [...revisions.values()],

    links({ id, address: { branchId, thoughtNumber } }: ThoughtNode): NodeLinks {
      const { before, after } = chains.get(branchId)?.around(thoughtNumber) ?? {};
      const fork = branchId === undefined ? undefined : forks.get(branchId);
      const branchOrigin = fork && idOf(fork);
      const firstOf = (child: string) => ({
        branchId: child,
        thoughtNumber: chains.get(child)?.first() ?? 0,
      });
      return {
        prev: before === undefined ? branchOrigin : idOf({ branchId, thoughtNumber: before }),
        next: [
          ...(after === undefined ? [] : [idOf({ branchId, thoughtNumber: after })]),
          ...(branchChildrenIndex.get(id) ?? []).map((child) => idOf(firstOf(child))),
        ],
        branchOrigin,
      };
    },

    /** Returns the last `count` thoughts that led to this one, latest last. Continues before the fork. */
    ancestors({ branchId, thoughtNumber }: Address, count: number): Address[] {
      const found: Address[] = [];
      let at: Address | undefined = { branchId, thoughtNumber };
      while (at && found.length < count) {
        const chain: string | undefined = at.branchId;
        const before = chains.get(chain)?.upTo(at.thoughtNumber, count - found.length) ?? [];
        found.unshift(...before.map((number) => addressOf({ branchId: chain, thoughtNumber: number })));
        const fork: Address | undefined = chain === undefined ? undefined : forks.get(chain);
        if (fork && found.length < count) found.unshift(addressOf(fork));
        at = fork;
      }
      return found;
    },

    get size(): number {
      return size;
    },
    /** The highest indexed position. Entries at higher positions are not in the index yet. */
    get position(): number {
      return position;
    },
  };
}

export type ThoughtIndex = ReturnType<typeof createThoughtIndex>;

type Chain = ReturnType<typeof createChain>;

/**
 * Creates the index of a chain. Sorts the numbers when they are read, so adding 100,000 numbers in descending
 * order stays cheap.
 */
function createChain() {
  const numbers: number[] = [];
  const positions: number[] = [];
  /** Slots in ascending order of number. `undefined` if the numbers arrived in that order. */
  let slots: number[] | undefined;
  let ascending: readonly number[] | undefined = numbers;

  /** Returns the slots sorted by number. Most are already in order, so sorting again is cheap. */
  function sortSlots(): readonly number[] {
    if (!slots) return [];
    for (let slot = slots.length; slot < numbers.length; slot += 1) slots.push(slot);
    if (!ascending) slots.sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0));
    return slots;
  }

  const inOrder = (): readonly number[] => {
    ascending ??= sortSlots().map((slot) => numbers[slot] ?? 0);
    return ascending;
  };

  function slotOf(number: number): number | undefined {
    const all = inOrder();
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((all[middle] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return all[low] === number ? (slots?.[low] ?? low) : undefined;
  }

  return {
    numbers: inOrder,
    entries: () => numbers.map((number, n) => ({ number, at: positions[n] ?? 0 })),
    add(number: number, at: number): void {
      const follows = number > (numbers.at(-1) ?? 0);
      if (slots || !follows) {
        slots ??= [];
        ascending = undefined;
      }
      numbers.push(number);
      positions.push(at);
    },
    positionOf(number: number): number | undefined {
      const slot = slotOf(number);
      return slot === undefined ? undefined : positions[slot];
    },
    /** Returns the numbers of the chain's thoughts that arrived just before and just after this one. */
    around(number: number): { before: number | undefined; after: number | undefined } {
      const slot = slotOf(number) ?? numbers.length;
      return { before: numbers[slot - 1], after: numbers[slot + 1] };
    },
    first: (): number | undefined => numbers[0],
    /** Returns the numbers of the last `count` thoughts that arrived before this one, latest last. */
    upTo(number: number, count: number): readonly number[] {
      const slot = slotOf(number) ?? 0;
      return numbers.slice(Math.max(0, slot - count), slot);
    },
  };
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Keeps indexes of up to `maxThoughts` thoughts in RAM. Drops the least recently used first. */
export function createIndexShelf(maxThoughts: number) {
  const indexes = new Map<string, ThoughtIndex>();
  return {
    indexes,
    keep(index: ThoughtIndex): void {
      indexes.delete(index.sessionId);
      indexes.set(index.sessionId, index);
      let held = [...indexes.values()].reduce((sum, { size }) => sum + size + 100, 0);
      for (const [oldest, { size }] of indexes) {
        if (held <= maxThoughts || oldest === index.sessionId) break;
        indexes.delete(oldest);
        held -= size + 100;
      }
    },
  };
}
