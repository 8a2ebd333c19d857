import type { MemoryChange } from "../domain/memory/steps/changes.ts";
import type { Stage } from "../domain/stages/stages.ts";
import type { FeedEntry } from "./feed.ts";

/** What happened, published after it was acknowledged. Secrets are masked on delivery, not before. */
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

/** The same for the memory. */
export type MemoryEvent = { timestamp: string; workspace: string } & MemoryChange;

export type ThoughtboxEvent = LedgerEvent | MemoryEvent;

/** Must not throw, block or wait. */
export type EventSink = (event: ThoughtboxEvent) => void;

type FeedSubscription = {
  /** The last known seq: delivery starts after it. `now`: only future entries. */
  from: number | "now";
  /** Entries of this session only. */
  sessionId?: string | undefined;
  /** Entries of this workspace only. */
  workspace?: string | undefined;
};

/**
 * Follows the ledger and the memory of every process that shares the store: first what is recorded, then what arrives.
 * Each entry is delivered once and in order. The next entries are delivered when the promise of `onEntries` has
 * resolved, so a slow consumer delays only itself. One that throws is reported and gets no more. Store failures are
 * retried. Returns a function that stops all reading and delivery.
 */
export interface FeedSubscriber {
  subscribe(
    subscription: FeedSubscription,
    onEntries: (entries: readonly FeedEntry[]) => void | Promise<void>,
  ): () => void;
}
