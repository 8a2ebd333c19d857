import { sha256Hex } from "../../../kernel/sha256.ts";
import { type Steps, sortInSteps } from "../../../kernel/steps.ts";
import { genesisHash, sealThought } from "../chain/hash-chain.ts";
import { findForkCycles } from "../chain/structure.ts";
import type { Address } from "../thought.ts";
import { keyOf, orderArrivals, type PlainChain } from "./arrivals.ts";
import { type PlainThought, toThought } from "./plain-thought.ts";
import { type SealedThought, withCipher } from "./thought-file.ts";

/** Builds a chain from an earlier version's thoughts. The same files always give the same chain. */
export function* sealPlainThoughts(
  sessionId: string,
  thoughts: readonly PlainThought[],
  sessionStart: string,
): Steps<{ entries: SealedThought[]; warnings: string[] }> {
  const warnings: string[] = [];
  const chains = yield* toChains(thoughts, warnings);
  const forks = new Map(
    chains.flatMap(({ branchId, fork }) => (branchId !== undefined && fork ? [[branchId, fork]] : [])),
  );
  const revisions = yield* resolveRevisions(chains);
  const openers = new Set(chains.flatMap(({ thoughts: [first] }) => (first ? [keyOf(first.address)] : [])));

  const entries: SealedThought[] = [];
  for (const plain of orderArrivals(chains, sessionStart)) {
    yield;
    if (!plain) continue;
    const { branchId } = plain.address;
    const fork =
      branchId !== undefined && openers.has(keyOf(plain.address)) ? forks.get(branchId) : undefined;
    const revises = revisions.get(keyOf(plain.address));
    const data = withCipher(
      toThought(
        plain,
        { ...(revises && { revises }), ...(fork && { fork }) },
        plain.timestamp ?? sessionStart,
      ),
    );
    const position = entries.length + 1;
    const prevHash = entries.at(-1)?.hash ?? genesisHash;
    const unsealed = { sessionId, position, salt: saltOf(sessionId, position, plain.text), prevHash, data };
    entries.push({ ...unsealed, hash: sealThought(unsealed) });
  }
  return { entries, warnings };
}

/** Derives the salt from the thought, so that a second import of the same tree is recognised. */
function saltOf(sessionId: string, position: number, text: string): string {
  return sha256Hex(`import\n${sessionId}\n${position}\n${text}`).slice(0, 32);
}

/** Groups thoughts into chains: the main chain first, then the branches by name. */
function* toChains(thoughts: readonly PlainThought[], warnings: string[]): Steps<PlainChain[]> {
  const byBranch = new Map<string, PlainThought[]>();
  for (const thought of thoughts) {
    const id = thought.address.branchId ?? "";
    const chain = byBranch.get(id);
    if (chain) chain.push(thought);
    else byBranch.set(id, [thought]);
    yield;
  }
  const ids = yield* sortInSteps([...byBranch.keys()], (one, other) => (one < other ? -1 : 1));
  for (const id of ids) byBranch.set(id, yield* sortInSteps(byBranch.get(id) ?? [], byNumber));
  const main = byBranch.get("") ?? [];
  const forks = new Map<string, Address>();
  for (const id of ids) {
    if (id !== "") forks.set(id, findFork(id, byBranch, main, warnings));
    yield;
  }
  yield* openCircles(forks, warnings);
  return ids.map((id) => {
    const thoughts = byBranch.get(id) ?? [];
    const fork = forks.get(id);
    return fork ? { branchId: id, thoughts, fork } : { branchId: undefined, thoughts };
  });
}

/** If branches fork from each other in a cycle, attaches one of them to the main chain. */
function* openCircles(forks: Map<string, Address>, warnings: string[]): Steps<void> {
  for (const circle of findForkCycles(forks)) {
    yield;
    if (circle === undefined) continue;
    const thoughtNumber = forks.get(circle)?.thoughtNumber ?? 1;
    forks.set(circle, { thoughtNumber });
    warnings.push(
      `branch ${circle} forks from itself. The branch now forks from thought ${thoughtNumber} of the main chain`,
    );
  }
}

const byNumber = (one: PlainThought, other: PlainThought): number =>
  one.address.thoughtNumber - other.address.thoughtNumber;

/** Finds a thought by number. Expects a chain ordered by number. */
function findNumber(chain: readonly PlainThought[], wanted: number): PlainThought | undefined {
  let [low, high] = [0, chain.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((chain[middle]?.address.thoughtNumber ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return chain[low]?.address.thoughtNumber === wanted ? chain[low] : undefined;
}

/**
 * Returns the fork that the branch's thoughts specify. If they specify none, returns the thought of the main
 * chain whose number precedes the branch's first number. If there is none, returns the end of the main chain.
 */
function findFork(
  branchId: string,
  byBranch: ReadonlyMap<string, readonly PlainThought[]>,
  main: readonly PlainThought[],
  warnings: string[],
): Address {
  const own = byBranch.get(branchId) ?? [];
  const opening = own.find(({ branchFromThought }) => branchFromThought !== undefined);
  if (opening?.branchFromThought !== undefined) {
    const parent = opening.branchFromBranch;
    const known = parent !== undefined && parent !== branchId && byBranch.has(parent);
    return { ...(known && { branchId: parent }), thoughtNumber: opening.branchFromThought };
  }
  const before = (own[0]?.address.thoughtNumber ?? 1) - 1;
  const target = findNumber(main, before) ?? main.at(-1);
  const thoughtNumber = target?.address.thoughtNumber ?? 1;
  warnings.push(`branch ${branchId} has no fork point. The branch now forks from thought ${thoughtNumber}`);
  return { thoughtNumber };
}

/**
 * Finds the thoughts that revisions refer to: in the branch itself, or in the nearest ancestor that has a
 * thought with the number. Walks the tree of branches once and tracks which chain has each number.
 */
function* resolveRevisions(chains: readonly PlainChain[]): Steps<ReadonlyMap<string, Address>> {
  const children = new Map<string, PlainChain[]>();
  for (const chain of chains) {
    if (chain.branchId === undefined) continue;
    const parent = chain.fork?.branchId ?? "";
    const siblings = children.get(parent);
    if (siblings) siblings.push(chain);
    else children.set(parent, [chain]);
  }

  const resolved = new Map<string, Address>();
  const holders = new Map<number, string[]>();

  function* enter(chain: PlainChain, branchId: string): Steps<void> {
    for (const { address } of chain.thoughts) {
      const stack = holders.get(address.thoughtNumber);
      if (stack) stack.push(branchId);
      else holders.set(address.thoughtNumber, [branchId]);
      yield;
    }
    for (const { address, revisesThought } of chain.thoughts) {
      yield;
      if (revisesThought === undefined) continue;
      const holder = holders.get(revisesThought)?.at(-1);
      resolved.set(keyOf(address), {
        ...(holder !== undefined && { branchId: holder }),
        thoughtNumber: revisesThought,
      });
    }
  }

  for (const { branchId, thoughts } of chains)
    if (branchId === undefined)
      for (const { address, revisesThought } of thoughts) {
        if (revisesThought !== undefined) resolved.set(keyOf(address), { thoughtNumber: revisesThought });
        yield;
      }

  const way: { chain: PlainChain; entered: boolean }[] = (children.get("") ?? []).map((chain) => ({
    chain,
    entered: false,
  }));
  for (let step = way.at(-1); step; step = way.at(-1)) {
    const { chain, entered } = step;
    const branchId = chain.branchId ?? "";
    if (entered) {
      for (const { address } of chain.thoughts) {
        holders.get(address.thoughtNumber)?.pop();
        yield;
      }
      way.pop();
      continue;
    }
    step.entered = true;
    yield* enter(chain, branchId);
    for (const child of children.get(branchId) ?? []) way.push({ chain: child, entered: false });
  }
  return resolved;
}
