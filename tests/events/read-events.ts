import { readFileSync } from "node:fs";
import type { LedgerEvent, MemoryEvent } from "../../src/ports/events.ts";

/** Every line of an events file; one that is not whole fails the test. */
export const readEvents = (path: string): LedgerEvent[] => readLines(path);

/** The same, of a program that wrote to the memory alone. */
export const readMemoryEvents = (path: string): MemoryEvent[] => readLines(path);

function readLines<Event>(path: string): Event[] {
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
