import type { MemoryChange, MemoryEventType } from "../domain/memory/steps/changes.ts";
import type { Stage } from "../domain/stages/stages.ts";
import type { ThoughtboxError } from "../kernel/errors.ts";
import { nearest } from "../kernel/nearest.ts";
import type { FeedEntry } from "./feed.ts";
import { storageFailure } from "./storage-failures.ts";

/** Published after the write is acknowledged. Secrets are masked on delivery, not before. */
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

/** Must not throw, block or wait. */
export type EventSink = (event: ThoughtboxEvent) => void;

type FeedSubscription = {
  /** Delivery starts after this seq. `now` delivers only future entries. */
  from: number | "now";
  /** Only entries for this session. */
  sessionId?: string | undefined;
  /** Only entries for this workspace. */
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

type EventType = ThoughtboxEvent["type"];

/** Records instead of lists, so that the compiler reports a missing type. */
const ledgerEvents: Record<LedgerEvent["type"], true> = {
  thought_added: true,
  thought_revised: true,
  branch_created: true,
  session_started: true,
  session_loaded: true,
  session_exported: true,
  session_completed: true,
  cipher_loaded: true,
  stage_changed: true,
  agent_noticed: true,
  agent_went_on: true,
};

const memoryEvents: Record<MemoryEventType, true> = {
  workspace_created: true,
  workspace_restored: true,
  memory_branch_created: true,
  memory_branch_renamed: true,
  memory_branch_deleted: true,
  memory_branch_restored: true,
  checkout_moved: true,
  note_committed: true,
  notes_merged: true,
  graph_applied: true,
  graph_merged: true,
  conflict_resolved: true,
  commit_created: true,
  ref_moved: true,
  tag_created: true,
  tag_deleted: true,
  cards_changed: true,
  task_changed: true,
  focus_moved: true,
  anchors_changed: true,
  job_changed: true,
};

export const memoryEventTypes = Object.keys(memoryEvents) as MemoryEventType[];
export const ledgerEventTypes = Object.keys(ledgerEvents) as LedgerEvent["type"][];
export const eventTypes: readonly EventType[] = [...ledgerEventTypes, ...memoryEventTypes];

/** `*` selects all types. A misspelt name would silently select nothing, so it is refused. */
export function createTypeFilter(names: readonly string[]): (event: ThoughtboxEvent) => boolean {
  const unknown = names.find((name) => name !== "*" && !(eventTypes as readonly string[]).includes(name));
  if (unknown !== undefined) throw unknownType(unknown);
  if (names.includes("*")) return () => true;
  return ({ type }) => names.includes(type);
}

function unknownType(type: string): ThoughtboxError {
  return storageFailure("unknown_event_type", { type, guess: nearest(type, eventTypes), known: eventTypes });
}
