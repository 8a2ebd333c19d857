import type { ThoughtboxError } from "../kernel/errors.ts";
import { nearest } from "../kernel/nearest.ts";
import type { LedgerEvent, ThoughtboxEvent } from "./events.ts";
import { memoryEventTypes } from "./memory/memory-events.ts";
import { storageFailure } from "./storage-failures.ts";

type EventType = ThoughtboxEvent["type"];

/** A record rather than a list, so that the compiler sees a type that is missing. */
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
};

export const ledgerEventTypes = Object.keys(ledgerEvents) as LedgerEvent["type"][];
export const eventTypes: readonly EventType[] = [...ledgerEventTypes, ...memoryEventTypes];

/** `*` stands for all. A misspelt name would silently select nothing, so it is refused. */
export function createTypeFilter(names: readonly string[]): (event: ThoughtboxEvent) => boolean {
  const unknown = names.find((name) => name !== "*" && !(eventTypes as readonly string[]).includes(name));
  if (unknown !== undefined) throw unknownType(unknown);
  if (names.includes("*")) return () => true;
  return ({ type }) => names.includes(type);
}

function unknownType(type: string): ThoughtboxError {
  return storageFailure("unknown_event_type", { type, guess: nearest(type, eventTypes), known: eventTypes });
}
