import { readFileSync } from "node:fs";
import type { LedgerEvent } from "../../src/ports/events.ts";

/** Every line of an events file; one that is not whole fails the test. */
export function readEvents(path: string): LedgerEvent[] {
  const text = readFileSync(path, "utf8");
  if (!text.endsWith("\n")) throw new Error(`the file ends inside a line: ${text.slice(-100)}`);
  return text
    .slice(0, -1)
    .split("\n")
    .map((line) => JSON.parse(line));
}

export function ofType<Type extends LedgerEvent["type"]>(events: readonly LedgerEvent[], type: Type) {
  return events.filter((event): event is LedgerEvent & { type: Type } => event.type === type);
}
