import type { Writable } from "node:stream";
import type { Clock } from "../../kernel/clock.ts";
import { quote } from "../../kernel/text.ts";
import type { EventSink } from "../../ports/events.ts";
import { createAppendFile } from "./append-file.ts";
import { formatEventLine } from "./event-line.ts";
import { createLineWriter, type LineTarget } from "./line-writer.ts";
import { createStreamTarget } from "./stream-target.ts";

export type EventOutputSettings = {
  output: "none" | "stderr" | "stdout" | "file";
  /** Absolute. */
  file: string;
};

type EventOutputOptions = {
  /** Trouble and losses go here; never stdout. */
  log(line: string): void;
  clock: Clock;
  streams?: { stdout: Writable; stderr: Writable };
};

export type EventOutput = {
  write: EventSink;
  /** Writes what waits; takes half a second at most. */
  close(): Promise<void>;
};

/** Events as JSON lines, to where THOUGHTBOX_EVENT_OUTPUT says. Nothing is opened before the first event. */
export function createEventOutput(
  { output, file }: EventOutputSettings,
  { log, clock, streams = process }: EventOutputOptions,
): EventOutput {
  if (output === "none") return { write: () => {}, close: async () => {} };
  const target: LineTarget = output === "file" ? createAppendFile(file) : createStreamTarget(streams[output]);
  const writer = createLineWriter({
    target,
    onTrouble(thrown) {
      const { code, message } = thrown as NodeJS.ErrnoException;
      log(`thoughtbox: events wait: ${quote(file)} cannot be written (${code ?? message})\n`);
    },
    onDropped(count) {
      const notice = { type: "events_dropped", timestamp: clock(), sessionId: null, data: { count, output } };
      log(`${JSON.stringify(notice)}\n`);
    },
  });
  return { write: (event) => writer.write(formatEventLine(event)), close: writer.close };
}
