import type { Address } from "./address.ts";
import type { ConversationKey, Origin } from "./requests.ts";
import type { SessionChange, SessionDecision, StoredSession } from "./session.ts";
import type { ChainedThought } from "./thought.ts";
import type { ChainedCritique } from "./tree/critique-file.ts";

/** A key that was used, and what came of it. */
export type KeptOutcome = { scope: string; key: string; fingerprint: string; outcome: unknown; at: string };

export type BranchWrite = {
  sessionId: string;
  branchId: string;
  highest: number;
  /** Set where the branch begins. */
  opens: { fork: Address; seq: number } | undefined;
};

export type CritiqueWrite = ChainedCritique & { seq: number; thoughtSeq: number };

/**
 * Everything that a batch of decisions leaves to be written, by kind of row: a store writes each kind together. The
 * numbers are already assigned, and `lastSeq` is the highest.
 */
export type LedgerWrites = {
  lastSeq: number;
  created: StoredSession[];
  /** What these sessions are called, or their project, has changed. */
  renamed: Map<string, StoredSession>;
  /** Where these sessions stand, or whether they are in the trash, has changed. */
  restated: Map<string, StoredSession>;
  /** The ends of the chains of these sessions have moved. */
  advanced: Map<string, StoredSession>;
  /** What these conversations work in. Those of which nothing was known come with their first thought. */
  conversations: Map<string, { key: ConversationKey; sessionId: string | undefined; at: string }>;
  thoughts: ChainedThought[];
  /** Who sent them, by seq. */
  origins: Map<number, Origin>;
  branches: BranchWrite[];
  critiques: CritiqueWrite[];
  changes: { seq: number; sessionId: string; kind: SessionChange; at: string }[];
  outcomes: KeptOutcome[];
};

export const noWrites = (lastSeq: number): LedgerWrites => ({
  lastSeq,
  created: [],
  renamed: new Map(),
  restated: new Map(),
  advanced: new Map(),
  conversations: new Map(),
  thoughts: [],
  origins: new Map(),
  branches: [],
  critiques: [],
  changes: [],
  outcomes: [],
});

/** Adds a thought and updates its branch and session. */
export function addThought(writes: LedgerWrites, session: StoredSession, entry: ChainedThought): void {
  writes.lastSeq = entry.seq;
  writes.thoughts.push(entry);
  writes.advanced.set(session.id, session);
  const branch = branchWrite(entry);
  if (branch) writes.branches.push(branch);
}

function branchWrite({ sessionId, seq, data }: ChainedThought): BranchWrite | undefined {
  const { branchId, thoughtNumber: highest, branchFromThought, branchFromBranch } = data;
  if (branchId === undefined) return undefined;
  const fork = branchFromThought !== undefined && {
    branchId: branchFromBranch,
    thoughtNumber: branchFromThought,
  };
  return { sessionId, branchId, highest, opens: fork ? { fork, seq } : undefined };
}

/** Takes the next number for a session change that subscribers of the store receive. */
export function addChange(writes: LedgerWrites, sessionId: string, kind: SessionChange, at: string): number {
  writes.lastSeq += 1;
  writes.changes.push({ seq: writes.lastSeq, sessionId, kind, at });
  return writes.lastSeq;
}

/** What a decision about a session leaves to be written. */
export function writesOf({ session, change }: SessionDecision, at: string, lastSeq: number): LedgerWrites {
  const writes = noWrites(lastSeq);
  const isRenamed = change === "moved" || change === "renamed";
  (isRenamed ? writes.renamed : writes.restated).set(session.id, session);
  addChange(writes, session.id, change === "renamed" ? "updated" : change, at);
  return writes;
}
