import { ThoughtboxError } from "../kernel/errors.ts";
import { nearest } from "../kernel/nearest.ts";
import { quote } from "../kernel/text.ts";
import type { LedgerEvent } from "./events.ts";

type EventType = LedgerEvent["type"];

/** A record rather than a list, so that the compiler sees a type that is missing. */
const documented: Record<EventType, true> = {
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

export const eventTypes = Object.keys(documented) as EventType[];

/** `*` stands for all. A misspelt name would silently select nothing, so it is refused. */
export function createTypeFilter(names: readonly string[]): (event: LedgerEvent) => boolean {
  const unknown = names.find((name) => name !== "*" && !Object.hasOwn(documented, name));
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
