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
  /** The last seq that is known already: what follows it is delivered. `now`: only what is yet to come. */
  from: number | "now";
  /** Entries of this session only. */
  sessionId?: string | undefined;
  /** Entries of this workspace only. */
  workspace?: string | undefined;
};

/**
 * Follows the ledger and the memory of every process that shares the store: what is recorded already, then
 * what arrives. Each entry is delivered once and in order. The next entries come when the promise of
 * `onEntries` has resolved, so a slow consumer holds up no one but itself; one that throws is reported and
 * gets no more. Trouble of the store is waited out. Returns how to stop: nothing is read or delivered
 * afterwards.
 */
export interface FeedSubscriber {
  subscribe(
    subscription: FeedSubscription,
    onEntries: (entries: readonly FeedEntry[]) => void | Promise<void>,
  ): () => void;
}
