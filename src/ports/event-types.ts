import { ThoughtboxError } from "../kernel/errors.ts";
import { nearest } from "../kernel/nearest.ts";
import { quote } from "../kernel/text.ts";
import type { LedgerEvent, ThoughtboxEvent } from "./events.ts";
import { memoryEventTypes } from "./memory/memory-events.ts";

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

function unknownType(name: string): ThoughtboxError {
  const guess = nearest(name, eventTypes);
  const advice = guess ? `did you mean ${guess}?` : `the types are ${eventTypes.join(", ")}.`;
  return new ThoughtboxError(
    "INVALID_PAYLOAD",
    `THOUGHTBOX_EVENT_TYPES names ${quote(name)}, which is no event type; ${advice}`,
  );
}
