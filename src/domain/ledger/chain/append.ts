import type { ThoughtboxError } from "../../../kernel/errors.ts";
import { type LedgerFacts, ledgerFailure } from "../failures.ts";
import { limits } from "../limits.ts";
import {
  type Address,
  type ChainedThought,
  endsSession,
  nodeId,
  type StoredStep,
  type Thought,
} from "../thought.ts";
import { sealThought } from "./hash-chain.ts";

/** What a caller wants to record. The ledger assigns the number and the branch name if they are missing. */
export type ThoughtDraft = {
  sessionId: string;
  thought: string;
  /** True if the text is one cipher step. The step gets the number of the thought. */
  isStep?: boolean | undefined;
  nextThoughtNeeded: boolean;
  thoughtNumber?: number | undefined;
  totalThoughts?: number | undefined;
  revisesThought?: number | undefined;
  branchId?: string | undefined;
  branchFromThought?: number | undefined;
  branchFromBranch?: string | undefined;
  needsMoreThoughts?: boolean | undefined;
  agentId?: string | undefined;
  /**
   * The branch to use if the draft names none. If the branch is new, it forks from the newest thought of the
   * main chain.
   */
  ownBranch?: string | undefined;
};

const longestAgentName = 16;

/** Returns the branch of a sub-agent. Keeps the end of a long ID, because IDs begin with a timestamp. */
export function branchOfAgent(agent: string | undefined): string | undefined {
  if (agent === undefined) return undefined;
  const name = agent.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const short = name.length > longestAgentName ? name.slice(-longestAgentName) : name;
  return `agent-${short.replaceAll(/^-+|-+$/g, "")}`;
}

/** The thought's address. `fork` is set if the thought opens its branch. */
export type Placement = {
  thoughtNumber: number;
  totalThoughts: number;
  branchId?: string;
  fork?: Address;
  revises?: Address;
};

/** Returned if the rules also need the names of all branches in the session. This is rare. */
export type NeedsBranchIds = { needs: "branchIds" };

/** The facts needed to place one thought, loaded in the transaction that appends it. */
export type ChainFacts = {
  /** Highest number in the main chain. 0 if the chain is empty. */
  highest: number;
  branches: ReadonlyMap<string, BranchFacts>;
  /** The referenced thoughts that exist, by `addressKey`. */
  there: ReadonlySet<string>;
  /** All branches of the session. `undefined` until a rule needs the branches. */
  branchIds?: readonly string[] | undefined;
};

export type BranchFacts = { fork: Address | undefined; highest: number };

/** The facts that a store loads for a draft, in one batch. */
export type FactsNeeded = {
  branches: readonly string[];
  /** Also load the branches that the requested branches forked from. */
  withAncestors: boolean;
  /** Thought numbers to look up in the main chain and in each requested branch. */
  numbers: readonly number[];
};

export function factsNeeded(draft: ThoughtDraft): FactsNeeded {
  const { branchId, branchFromBranch, thoughtNumber, branchFromThought, revisesThought, ownBranch } = draft;
  const branches = [branchId ?? ownBranch, branchFromBranch].filter(isGiven);
  const numbers = [thoughtNumber, branchFromThought, revisesThought].filter(isGiven);
  if (branches.length + numbers.length === 0) return nothingNeeded;
  return {
    branches: [...new Set(branches)],
    withAncestors: revisesThought !== undefined,
    numbers: [...new Set(numbers)],
  };
}

const isGiven = <Value>(value: Value | undefined): value is Value => value !== undefined;

/** Nearly every thought continues the main chain and can be placed without additional facts. */
const nothingNeeded: FactsNeeded = { branches: [], withAncestors: false, numbers: [] };

export const addressKey = (address: Address): string => nodeId("", address);

/** Chooses a thought's address. Never overwrites a thought, and refuses references to missing thoughts. */
export function placeThought(draft: ThoughtDraft, facts: ChainFacts): Placement | NeedsBranchIds {
  const chosen = chooseBranch(draft, facts);
  if ("needs" in chosen) return chosen;
  const { branchId, fork } = chosen;
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

function chooseBranch(
  draft: ThoughtDraft,
  facts: ChainFacts,
): { branchId?: string; fork?: Address } | NeedsBranchIds {
  const { branchIds } = facts;
  const { branchId, branchFromThought, branchFromBranch } = draft;
  if (branchFromThought === undefined) {
    if (branchFromBranch !== undefined) {
      throw ledgerFailure("fork_without_number", {});
    }
    if (branchId === undefined) return chooseOwnBranch(draft, facts);
    if (forkOf(facts, branchId)) return { branchId };
    if (!branchIds) return { needs: "branchIds" };
    throw ledgerFailure("branch_without_fork", { branchId, branches: [...branchIds], tip: facts.highest });
  }
  const fork: Address = { branchId: branchFromBranch, thoughtNumber: branchFromThought };
  if (!isThere(facts, fork)) throw missing(fork, "fork from", facts);
  const known = branchId === undefined ? undefined : forkOf(facts, branchId);
  if (branchId !== undefined && !known) return { branchId, fork };
  if (
    branchId !== undefined &&
    known?.thoughtNumber === fork.thoughtNumber &&
    known.branchId === fork.branchId
  )
    return { branchId };
  if (!branchIds) return { needs: "branchIds" };
  if (branchId === undefined || !known) return { branchId: freeBranchId(branchIds, "branch"), fork };
  const free = freeBranchId(branchIds, branchId);
  throw ledgerFailure("branch_forks_elsewhere", { branchId, fork: known, free });
}

/** Chooses the draft's own branch, or the main chain if there is no thought to fork from. */
function chooseOwnBranch(
  { ownBranch }: ThoughtDraft,
  facts: ChainFacts,
): { branchId?: string; fork?: Address } {
  if (ownBranch === undefined) return {};
  if (forkOf(facts, ownBranch)) return { branchId: ownBranch };
  return facts.highest === 0 ? {} : { branchId: ownBranch, fork: { thoughtNumber: facts.highest } };
}

const isThere = ({ there }: ChainFacts, address: Address): boolean => there.has(addressKey(address));

/** Returns the thought that a branch forked from, or `undefined` if there is no such branch. */
const forkOf = ({ branches }: ChainFacts, branchId: string): Address | undefined =>
  branches.get(branchId)?.fork;

/** Returns the highest number in a branch, or in the main chain if `branchId` is absent. 0 if empty. */
const highestOf = ({ highest, branches }: ChainFacts, branchId: string | undefined): number =>
  branchId === undefined ? highest : (branches.get(branchId)?.highest ?? 0);

/** Returns the first free ID: `branch-1`, `branch-2` and so on. */
function freeBranchId(branchIds: readonly string[], stem: string): string {
  const base = stem.slice(0, limits.branchId - 8);
  const taken = new Set(branchIds);
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
  const next = fork ? fork.thoughtNumber + 1 : highestOf(facts, branchId) + 1;
  const asked: Address = { branchId, thoughtNumber: draft.thoughtNumber ?? next };
  const isFree = fork !== undefined || draft.thoughtNumber === undefined || !isThere(facts, asked);
  if (isFree && asked.thoughtNumber <= limits.thoughtNumber) return asked.thoughtNumber;
  if (next > limits.thoughtNumber) throw ledgerFailure("chain_full", { max: limits.thoughtNumber });
  throw ledgerFailure("thought_taken", { address: asked, next });
}

/**
 * Finds the thought that a draft revises: in the draft's branch, or if the number is not there, before the
 * fork in the chain that the branch forked from.
 */
function resolveRevision(
  draft: ThoughtDraft,
  branchId: string | undefined,
  fork: Address | undefined,
  facts: ChainFacts,
): Address | undefined {
  if (draft.revisesThought === undefined) return undefined;
  let target: Address = { branchId, thoughtNumber: draft.revisesThought };
  let parent = fork;
  // Stops at a cycle of branches, which an imported file may contain.
  const passed = new Set<string>();
  while (!isThere(facts, target)) {
    if (target.branchId === undefined || passed.has(target.branchId)) break;
    passed.add(target.branchId);
    parent ??= forkOf(facts, target.branchId);
    if (!parent || draft.revisesThought > parent.thoughtNumber) break;
    target = { branchId: parent.branchId, thoughtNumber: draft.revisesThought };
    parent = undefined;
  }
  if (isThere(facts, target)) return target;
  throw missing({ branchId, thoughtNumber: draft.revisesThought }, "revise", facts);
}

function missing(
  address: Address,
  wanted: LedgerFacts["thought_missing"]["wanted"],
  facts: ChainFacts,
): ThoughtboxError {
  return ledgerFailure("thought_missing", { address, wanted, highest: highestOf(facts, address.branchId) });
}

type SessionHead = {
  thoughtCount: number;
  branchCount: number;
  /** Highest number in the main chain. */
  highest: number;
  length: number;
  hash: string;
  updatedAt: string;
  completedAt: string | undefined;
};

type Recording = {
  draft: ThoughtDraft;
  timestamp: string;
  salt: string;
  cipher?: StoredStep[] | undefined;
  critiqueRequested?: boolean | undefined;
};

/** Returns the thought as stored: the draft, its address, and a hash that covers the previous one. */
export function chainThought(
  { draft, timestamp, salt, cipher, critiqueRequested }: Recording,
  { length, hash: prevHash }: Pick<SessionHead, "length" | "hash">,
  { thoughtNumber, totalThoughts, branchId, fork, revises }: Placement,
  seq: number,
): ChainedThought {
  const data: Thought = {
    thought: draft.isStep ? draft.thought.replace(/^S\d+/, `S${thoughtNumber}`) : draft.thought,
    thoughtNumber,
    totalThoughts,
    nextThoughtNeeded: draft.nextThoughtNeeded,
    timestamp,
    ...(revises && { isRevision: true, revisesThought: revises.thoughtNumber, revises: plain(revises) }),
    ...(branchId !== undefined && { branchId }),
    ...(fork && { branchFromThought: fork.thoughtNumber }),
    ...(fork?.branchId !== undefined && { branchFromBranch: fork.branchId }),
    ...(draft.needsMoreThoughts && { needsMoreThoughts: true }),
    ...(draft.agentId !== undefined && { agentId: draft.agentId }),
    ...(cipher && {
      cipher: draft.isStep ? cipher.map((one) => ({ ...one, number: thoughtNumber })) : cipher,
    }),
    ...(critiqueRequested && { critiqueRequested: true }),
  };
  const { sessionId } = draft;
  const position = length + 1;
  const hash = sealThought({ sessionId, position, salt, prevHash, data });
  return { seq, hash, sessionId, position, salt, prevHash, data };
}

/** Advances a session by one thought. Ending the main line completes it. Any later thought reopens it. */
export function advanceHead<Head extends SessionHead>(
  head: Head,
  { position, hash, data }: ChainedThought,
): Head {
  // Assigns the fields one by one, because a literal that copies and changes the object takes three times as
  // long in V8.
  const ahead = { ...head };
  ahead.thoughtCount += 1;
  if (data.branchFromThought !== undefined) ahead.branchCount += 1;
  if (data.branchId === undefined) ahead.highest = Math.max(head.highest, data.thoughtNumber);
  ahead.length = position;
  ahead.hash = hash;
  ahead.updatedAt = later(head.updatedAt, data.timestamp);
  ahead.completedAt = endsSession(data) ? data.timestamp : undefined;
  return ahead;
}

/** Returns the later of two times. ISO times of equal length compare correctly as text. */
export const later = (one: string, other: string): string => (one < other ? other : one);

const plain = ({ branchId, thoughtNumber }: { branchId?: string | undefined; thoughtNumber: number }) =>
  branchId === undefined ? { thoughtNumber } : { branchId, thoughtNumber };
