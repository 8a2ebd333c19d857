import { nodeId } from "../domain/ledger/address.ts";
import type { Session } from "../domain/ledger/session.ts";
import type { ChainedThought, Thought } from "../domain/ledger/thought.ts";
import type { ThoughtIndex } from "../domain/ledger/thought-index.ts";
import { maskSecrets } from "../kernel/secrets.ts";
import type { FeedEntry } from "../ports/feed.ts";

type ObservatorySession = Pick<Session, "id" | "title" | "tags" | "createdAt" | "completedAt" | "status">;

type ObservatoryThought = { id: string } & Omit<
  Thought,
  | "revises"
  | "revisedBy"
  | "branchFromBranch"
  | "needsMoreThoughts"
  | "agentId"
  | "cipher"
  | "critiqueRequested"
>;

type Placed = { thought: ObservatoryThought; parentId: string | null };

/** The events of the Observatory's wire, with the payloads of the contract. */
export type ObservatoryEvent =
  | { event: "thought:added"; data: Placed }
  | { event: "thought:revised"; data: Placed & { originalThoughtNumber: number } }
  | { event: "thought:branched"; data: Placed & { branchId: string; fromThoughtNumber: number } }
  | { event: "session:started"; data: { session: ObservatorySession } }
  | { event: "session:ended"; data: { sessionId: string; finalThoughtCount: number } };

/** What an entry does not say itself: its session, and where its thought hangs. */
type Surroundings = { session: Session; index: Pick<ThoughtIndex, "find" | "links"> };

/** A thought is one event, of its most telling kind, and a second one when it ends the session. */
export function toObservatoryEvents(entry: FeedEntry, { session, index }: Surroundings): ObservatoryEvent[] {
  if (entry.kind === "session")
    return entry.change === "created"
      ? [{ event: "session:started", data: { session: toObservatorySession(session) } }]
      : [];
  const { sessionId, data, position } = entry.entry;
  const added = toThoughtEvent(entry.entry, index);
  if (data.branchId !== undefined || data.nextThoughtNeeded) return [added];
  return [added, { event: "session:ended", data: { sessionId, finalThoughtCount: position } }];
}

function toThoughtEvent(entry: ChainedThought, index: Surroundings["index"]): ObservatoryEvent {
  const { branchId, branchFromThought, revisesThought } = entry.data;
  const node = index.find(entry.data);
  const parentId = (node && index.links(node).prev) ?? null;
  const placed: Placed = { thought: toObservatoryThought(entry), parentId };
  if (branchId !== undefined && branchFromThought !== undefined)
    return { event: "thought:branched", data: { ...placed, branchId, fromThoughtNumber: branchFromThought } };
  if (revisesThought !== undefined)
    return { event: "thought:revised", data: { ...placed, originalThoughtNumber: revisesThought } };
  return { event: "thought:added", data: placed };
}

function toObservatoryThought({ sessionId, data }: ChainedThought): ObservatoryThought {
  const { isRevision, revisesThought, branchId, branchFromThought } = data;
  return {
    id: nodeId(sessionId, data),
    thoughtNumber: data.thoughtNumber,
    totalThoughts: data.totalThoughts,
    thought: maskSecrets(data.thought),
    nextThoughtNeeded: data.nextThoughtNeeded,
    timestamp: data.timestamp,
    ...(isRevision && { isRevision }),
    ...(revisesThought !== undefined && { revisesThought }),
    ...(branchId !== undefined && { branchId }),
    ...(branchFromThought !== undefined && { branchFromThought }),
  };
}

function toObservatorySession({
  id,
  title,
  tags,
  createdAt,
  completedAt,
  status,
}: Session): ObservatorySession {
  return {
    id,
    title: maskSecrets(title),
    tags: tags.map(maskSecrets),
    createdAt,
    ...(completedAt !== undefined && { completedAt }),
    status,
  };
}
