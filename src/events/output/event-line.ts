import type { ThoughtboxEvent } from "../../ports/events.ts";

/** Everything that acts on a terminal or hides in a text, and what some readers take for the end of a line. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** An event as one line of JSON with its end. Nothing unseen is left in it, and parsing gives back every character. */
export function formatEventLine(event: ThoughtboxEvent): string {
  const { type, timestamp } = event;
  const about = "sessionId" in event ? { sessionId: event.sessionId } : { workspace: event.workspace };
  const line = JSON.stringify({ type, timestamp, ...about, data: event.data });
  return `${line.replace(unseen, escapeForJson)}\n`;
}

function escapeForJson(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
