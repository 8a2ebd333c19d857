import type { MemoryEventType } from "../domain/memory/steps/changes.ts";
import type { ThoughtboxError } from "../kernel/errors.ts";
import { nearest } from "../kernel/nearest.ts";
import type { LedgerEvent, ThoughtboxEvent } from "./events.ts";
import { storageFailure } from "./storage-failures.ts";

type EventType = ThoughtboxEvent["type"];

/** These are records, not lists, so that the compiler reports a missing type. */
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

/** Returns a filter for these types. `*` selects all types. Throws for an unknown name. */
export function createTypeFilter(names: readonly string[]): (event: ThoughtboxEvent) => boolean {
  const unknown = names.find((name) => name !== "*" && !(eventTypes as readonly string[]).includes(name));
  if (unknown !== undefined) throw unknownType(unknown);
  if (names.includes("*")) return () => true;
  return ({ type }) => names.includes(type);
}

function unknownType(type: string): ThoughtboxError {
  return storageFailure("unknown_event_type", { type, guess: nearest(type, eventTypes), known: eventTypes });
}
