import { readFileSync } from "node:fs";
import type { LedgerEvent, MemoryEvent } from "../../src/ports/events.ts";

/** Reads every line of an events file. An incomplete line fails the test. */
export const readEvents = (path: string): LedgerEvent[] => readLines(path);

/** Like `readEvents`, but for a program that wrote only to the memory. */
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
