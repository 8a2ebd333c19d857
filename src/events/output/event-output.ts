import type { Writable } from "node:stream";
import type { Clock } from "../../kernel/clock.ts";
import { quote } from "../../kernel/text.ts";
import type { EventSink, ThoughtboxEvent } from "../../ports/events.ts";
import { createAppendFile } from "./append-file.ts";
import { createLineWriter, type LineTarget } from "./line-writer.ts";

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

/**
 * Lines for the reader of stdout or stderr. If the reader has left, they count as written, because a retry
 * cannot help.
 */
export function createStreamTarget(stream: Writable): LineTarget {
  let readerLeft = false;
  let release = () => {};

  // A destroyed stream need not call back the write under way.
  function giveUp(): void {
    readerLeft = true;
    release();
  }
  stream.on("error", giveUp);
  stream.on("close", giveUp);

  return {
    write: (lines) =>
      new Promise((resolve) => {
        release = () => resolve(lines.length);
        if (readerLeft) release();
        else stream.write(lines.join(""), release);
      }),
    close: async () => {},
  };
}
