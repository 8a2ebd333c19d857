import { ThoughtboxError } from "../../kernel/errors.ts";
import { type Address, describeAddress } from "./address.ts";
import { limits } from "./limits.ts";

/** What a caller asks to record; numbers and branch names may be left to the ledger. */
export type ThoughtDraft = {
  sessionId: string;
  thought: string;
  nextThoughtNeeded: boolean;
  thoughtNumber?: number | undefined;
  totalThoughts?: number | undefined;
  revisesThought?: number | undefined;
  branchId?: string | undefined;
  branchFromThought?: number | undefined;
  branchFromBranch?: string | undefined;
  needsMoreThoughts?: boolean | undefined;
  agentId?: string | undefined;
};

/** What the rules must know of a session; a store answers from inside the transaction that appends. */
export interface ChainFacts {
  /** Highest number of a chain (main when undefined); 0 while it is empty. */
  highest(branchId: string | undefined): number;
  /** The thought a branch forked from; `undefined` when there is no such branch. */
  forkOf(branchId: string): Address | undefined;
  has(address: Address): boolean;
  branchIds(): string[];
}

/** Where the thought goes. `fork` is set when it opens its branch. */
export type Placement = {
  thoughtNumber: number;
  totalThoughts: number;
  branchId?: string;
  fork?: Address;
  revises?: Address;
};

const refuse = (message: string, options: ConstructorParameters<typeof ThoughtboxError>[2] = {}) =>
  new ThoughtboxError("INVALID_PAYLOAD", message, options);

/** Numbers are per chain, a ledger never overwrites, and nothing may hang in the air. */
export function placeThought(draft: ThoughtDraft, facts: ChainFacts): Placement {
  const { branchId, fork } = chooseBranch(draft, facts);
  const revises = resolveRevision(draft, branchId, fork, facts);
  const thoughtNumber = chooseNumber(draft, branchId, fork, facts);
  return {
    thoughtNumber,
    totalThoughts: Math.max(draft.totalThoughts ?? thoughtNumber, thoughtNumber),
    ...(branchId !== undefined && { branchId }),
    ...(fork && { fork }),
    ...(revises && { revises }),
  };
}

function chooseBranch(draft: ThoughtDraft, facts: ChainFacts): { branchId?: string; fork?: Address } {
  const { branchId, branchFromThought, branchFromBranch } = draft;
  if (branchFromThought === undefined) {
    if (branchFromBranch !== undefined) {
      throw refuse("branchFromBranch needs branchFromThought: the number to fork from in that branch.");
    }
    if (branchId === undefined) return {};
    if (facts.forkOf(branchId)) return { branchId };
    const tip = facts.highest(undefined);
    throw refuse(`There is no branch ${branchId} yet: a new branch needs branchFromThought.`, {
      details: { branches: facts.branchIds().slice(0, 20) },
      recovery: {
        hint: tip > 0 ? "Say which thought the branch forks from." : "Begin on the main chain: no branchId.",
        operation: "thought",
        args: tip > 0 ? { branchFromThought: tip } : { branchId: null },
        patch: true,
      },
    });
  }
  const fork: Address = { branchId: branchFromBranch, thoughtNumber: branchFromThought };
  if (!facts.has(fork)) throw missing(fork, "fork from", facts);
  const known = branchId === undefined ? undefined : facts.forkOf(branchId);
  if (branchId !== undefined && known) {
    if (known.thoughtNumber === fork.thoughtNumber && known.branchId === fork.branchId) return { branchId };
    throw refuse(`Branch ${branchId} already forks from ${describeAddress(known)}.`, {
      recovery: {
        hint: "Choose another branchId for a new fork, or leave out branchFromThought to continue this branch.",
        operation: "thought",
        args: { branchId: freeBranchId(facts, branchId) },
        patch: true,
      },
    });
  }
  return { branchId: branchId ?? freeBranchId(facts, "branch"), fork };
}

/** `branch-1`, `branch-2` … the first that is free. */
function freeBranchId(facts: ChainFacts, stem: string): string {
  const base = stem.slice(0, limits.branchId - 8);
  const taken = new Set(facts.branchIds());
  let n = 1;
  while (taken.has(`${base}-${n}`)) n += 1;
  return `${base}-${n}`;
}

function chooseNumber(
  draft: ThoughtDraft,
  branchId: string | undefined,
  fork: Address | undefined,
  facts: ChainFacts,
): number {
  const next = fork ? fork.thoughtNumber + 1 : facts.highest(branchId) + 1;
  const asked: Address = { branchId, thoughtNumber: draft.thoughtNumber ?? next };
  const isFree = fork !== undefined || draft.thoughtNumber === undefined || !facts.has(asked);
  if (isFree && asked.thoughtNumber <= limits.thoughtNumber) return asked.thoughtNumber;
  if (next > limits.thoughtNumber) {
    throw refuse(`This chain is full: numbers end at ${limits.thoughtNumber}.`, {
      recovery: { hint: "Start a new session.", operation: "start_new", args: {} },
    });
  }
  throw refuse(
    `${capitalise(describeAddress(asked))} exists already; a recorded thought is never overwritten.`,
    {
      details: { thoughtNumber: asked.thoughtNumber, nextThoughtNumber: next },
      recovery: {
        hint: `Use thoughtNumber ${next}, or leave it out. To correct the thought, add revisesThought: ${asked.thoughtNumber}.`,
        operation: "thought",
        args: { thoughtNumber: next },
        patch: true,
      },
    },
  );
}

/** In a branch a number means the branch's own thought, else the ancestors' up to the fork. */
function resolveRevision(
  draft: ThoughtDraft,
  branchId: string | undefined,
  fork: Address | undefined,
  facts: ChainFacts,
): Address | undefined {
  if (draft.revisesThought === undefined) return undefined;
  let target: Address = { branchId, thoughtNumber: draft.revisesThought };
  let parent = fork;
  // Imported files may claim branches that fork from each other in a circle.
  const passed = new Set<string>();
  while (!facts.has(target)) {
    if (target.branchId === undefined || passed.has(target.branchId)) break;
    passed.add(target.branchId);
    parent ??= facts.forkOf(target.branchId);
    if (!parent || draft.revisesThought > parent.thoughtNumber) break;
    target = { branchId: parent.branchId, thoughtNumber: draft.revisesThought };
    parent = undefined;
  }
  if (facts.has(target)) return target;
  throw missing({ branchId, thoughtNumber: draft.revisesThought }, "revise", facts);
}

function missing(address: Address, verb: string, facts: ChainFacts): ThoughtboxError {
  const highest = facts.highest(address.branchId);
  return new ThoughtboxError(
    "THOUGHT_NOT_FOUND",
    `Cannot ${verb} ${describeAddress(address)}: it does not exist.`,
    {
      details: { ...address, highest },
      recovery: { hint: "Look at what is there first.", operation: "get_structure", args: {} },
    },
  );
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
