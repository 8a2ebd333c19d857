import type { MemoryChange } from "../domain/memory/steps/changes.ts";
import type { Stage } from "../domain/stages/stages.ts";
import type { FeedEntry } from "./feed.ts";

/** A change to the ledger, published after its write is acknowledged. Secrets are masked only on delivery. */
export type LedgerEvent = { timestamp: string; sessionId: string } & (
  | { type: "session_started"; data: { title: string; tags: readonly string[]; project: string } }
  | { type: "session_loaded"; data: { title: string; thoughtCount: number } }
  | { type: "session_exported"; data: { format: string; path?: string } }
  | { type: "session_completed"; data: { thoughtNumber: number; thoughtCount: number } }
  | { type: "cipher_loaded"; data: Record<string, never> }
  | { type: "agent_noticed"; data: { call: string; tool: string; said: string; denied: boolean } }
  | { type: "agent_went_on"; data: { call: string; wentOn: boolean } }
  | { type: "stage_changed"; data: { previousStage: Stage; newStage: Stage } }
  | { type: "thought_added" | "thought_revised" | "branch_created"; data: ThoughtEventData }
);

export type ThoughtEventData = {
  id: string;
  thoughtNumber: number;
  totalThoughts: number;
  nextThoughtNeeded: boolean;
  thought: string;
  branchId?: string;
  branchFromThought?: number;
  revisesThought?: number;
};

export type MemoryEvent = { timestamp: string; workspace: string } & MemoryChange;

export type ThoughtboxEvent = LedgerEvent | MemoryEvent;

/** Receives events. Must not throw, block or wait. */
export type EventSink = (event: ThoughtboxEvent) => void;

type FeedSubscription = {
  /** The seq after which delivery starts. `now` delivers only future entries. */
  from: number | "now";
  /** If set, delivers only entries for this session. */
  sessionId?: string | undefined;
  /** If set, delivers only entries for this workspace. */
  workspace?: string | undefined;
};

/**
 * Follows the writes of every process that shares the store: first the recorded entries, then new ones. Each entry is
 * delivered once and in order. The next entries are delivered after the promise of `onEntries` resolves, so a slow
 * consumer delays only itself. If a consumer throws, the error is reported and the consumer gets no more entries. Store
 * failures are retried. Returns a function that stops all reading and delivery.
 */
export interface FeedSubscriber {
  subscribe(
    subscription: FeedSubscription,
    onEntries: (entries: readonly FeedEntry[]) => void | Promise<void>,
  ): () => void;
}
