import { visible } from "../../kernel/text.ts";
import type { EventSink } from "../../ports/events.ts";

/** One line a thought for whoever watches the terminal; control characters cannot reach it. */
export function createThoughtLog(write: (line: string) => void): EventSink {
  return (event) => {
    if (event.type !== "thought_added" && event.type !== "thought_revised") return;
    const { thoughtNumber, totalThoughts, branchId, revisesThought, thought } = event.data;
    const place = branchId === undefined ? "" : ` ⑂ ${branchId}`;
    const correction = revisesThought === undefined ? "" : ` ↺ ${revisesThought}`;
    write(
      `${event.sessionId.slice(0, 8)} ${thoughtNumber}/${totalThoughts}${place}${correction}  ${visible(thought)}\n`,
    );
  };
}
