import type { ThoughtboxError } from "../../../kernel/errors.ts";
import type { Address } from "../address.ts";
import { type LedgerFacts, ledgerFailure } from "../failures.ts";
import { limits } from "../limits.ts";

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
      throw ledgerFailure("fork_without_number", {});
    }
    if (branchId === undefined) return {};
    if (facts.forkOf(branchId)) return { branchId };
    const tip = facts.highest(undefined);
    throw ledgerFailure("branch_without_fork", { branchId, branches: facts.branchIds(), tip });
  }
  const fork: Address = { branchId: branchFromBranch, thoughtNumber: branchFromThought };
  if (!facts.has(fork)) throw missing(fork, "fork from", facts);
  const known = branchId === undefined ? undefined : facts.forkOf(branchId);
  if (branchId !== undefined && known) {
    if (known.thoughtNumber === fork.thoughtNumber && known.branchId === fork.branchId) return { branchId };
    throw ledgerFailure("branch_forks_elsewhere", {
      branchId,
      fork: known,
      free: freeBranchId(facts, branchId),
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
  if (next > limits.thoughtNumber) throw ledgerFailure("chain_full", { max: limits.thoughtNumber });
  throw ledgerFailure("thought_taken", { address: asked, next });
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

function missing(
  address: Address,
  wanted: LedgerFacts["thought_missing"]["wanted"],
  facts: ChainFacts,
): ThoughtboxError {
  return ledgerFailure("thought_missing", { address, wanted, highest: facts.highest(address.branchId) });
}
