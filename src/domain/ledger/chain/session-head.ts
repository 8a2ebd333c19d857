import { type ChainedThought, endsSession, type StoredStep, type Thought } from "../thought.ts";
import type { Placement, ThoughtDraft } from "./append.ts";
import { sealThought } from "./hash-chain.ts";

/** What is known of a session when its next thought comes. */
export type SessionHead = {
  thoughtCount: number;
  branchCount: number;
  /** Highest number on the main line. */
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

/** The thought as it is kept: what was drafted, where it goes, sealed to what came before it. */
export function chainThought(
  { draft, timestamp, salt, cipher, critiqueRequested }: Recording,
  { length, hash: prevHash }: Pick<SessionHead, "length" | "hash">,
  { thoughtNumber, totalThoughts, branchId, fork, revises }: Placement,
  seq: number,
): ChainedThought {
  const data: Thought = {
    thought: draft.thought,
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
    ...(cipher && { cipher }),
    ...(critiqueRequested && { critiqueRequested: true }),
  };
  const sealed = { sessionId: draft.sessionId, position: length + 1, salt, prevHash, data };
  return { seq, hash: sealThought(sealed), ...sealed };
}

/** Ending the main line completes the session; any later thought opens it again. */
export function advanceHead<Head extends SessionHead>(
  head: Head,
  { position, hash, data }: ChainedThought,
): Head {
  const onMain = data.branchId === undefined;
  return {
    ...head,
    thoughtCount: head.thoughtCount + 1,
    branchCount: head.branchCount + (data.branchFromThought === undefined ? 0 : 1),
    highest: onMain ? Math.max(head.highest, data.thoughtNumber) : head.highest,
    length: position,
    hash,
    updatedAt: later(head.updatedAt, data.timestamp),
    completedAt: endsSession(data) ? data.timestamp : undefined,
  };
}

/** Times are ISO texts of one length, so they compare as text. */
export const later = (one: string, other: string): string => (one < other ? other : one);

const plain = ({ branchId, thoughtNumber }: { branchId?: string | undefined; thoughtNumber: number }) =>
  branchId === undefined ? { thoughtNumber } : { branchId, thoughtNumber };
