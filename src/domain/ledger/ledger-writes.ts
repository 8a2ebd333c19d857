import type { ConversationKey, Origin } from "./requests.ts";
import type { SessionChange, SessionDecision, StoredSession } from "./session.ts";
import type { Address, ChainedThought } from "./thought.ts";
import type { ChainedCritique } from "./tree/critique-file.ts";

/** An idempotency key that was used, and the result of its call. */
export type KeptOutcome = { scope: string; key: string; fingerprint: string; outcome: unknown; at: string };

export type BranchWrite = {
  sessionId: string;
  branchId: string;
  highest: number;
  /** Set on the first thought of the branch. */
  opens: { fork: Address; seq: number } | undefined;
};

export type CritiqueWrite = ChainedCritique & { seq: number; thoughtSeq: number };

/**
 * Everything that a batch of decisions writes. The rows are grouped by kind, because a store writes each kind in one
 * batch. The seqs are already assigned, and `lastSeq` is the highest.
 */
export type LedgerWrites = {
  lastSeq: number;
  created: StoredSession[];
  /** Sessions whose title, description, tags or project changed. */
  renamed: Map<string, StoredSession>;
  /** Sessions whose state changed, such as the stage, or that moved to or from the trash. */
  restated: Map<string, StoredSession>;
  /** Sessions whose chain heads moved. */
  advanced: Map<string, StoredSession>;
  /** The current session of each conversation. A conversation is added when it records its first thought. */
  conversations: Map<string, { key: ConversationKey; sessionId: string | undefined; at: string }>;
  thoughts: ChainedThought[];
  /** Who sent each thought, by seq. */
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

/** Records a session change for the store's subscribers. Returns its seq. */
export function addChange(writes: LedgerWrites, sessionId: string, kind: SessionChange, at: string): number {
  writes.lastSeq += 1;
  writes.changes.push({ seq: writes.lastSeq, sessionId, kind, at });
  return writes.lastSeq;
}

export function writesOf({ session, change }: SessionDecision, at: string, lastSeq: number): LedgerWrites {
  const writes = noWrites(lastSeq);
  const isRenamed = change === "moved" || change === "renamed";
  (isRenamed ? writes.renamed : writes.restated).set(session.id, session);
  addChange(writes, session.id, change === "renamed" ? "updated" : change, at);
  return writes;
}
