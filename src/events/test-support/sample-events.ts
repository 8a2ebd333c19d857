import type { LedgerEvent } from "../../ports/events.ts";

const sessionId = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
const timestamp = "2026-11-15T12:00:00.000Z";

export function startedEvent(title = "A session"): LedgerEvent {
  return { type: "session_started", timestamp, sessionId, data: { title, tags: [], project: "_default" } };
}

export function thoughtEvent(thoughtNumber = 1, thought = "a thought"): LedgerEvent {
  const id = `${sessionId}:${thoughtNumber}`;
  const data = { id, thoughtNumber, totalThoughts: thoughtNumber, nextThoughtNeeded: true, thought };
  return { type: "thought_added", timestamp, sessionId, data };
}
