import { maskForOthers } from "../kernel/secrets/secrets-policy.ts";
import { clip } from "../kernel/text.ts";
import type { ThoughtboxEvent } from "../ports/events.ts";

const shownChars = 200;

/** An event as it leaves the process: secrets are masked, and only then its text is cut, since half a secret is not recognised. */
export function forOthers(event: ThoughtboxEvent): ThoughtboxEvent {
  const masked = maskForOthers(event);
  switch (masked.type) {
    case "thought_added":
    case "thought_revised":
    case "branch_created":
      return { ...masked, data: { ...masked.data, thought: clip(masked.data.thought, shownChars) } };
    default:
      return masked;
  }
}
