import type { Writable } from "node:stream";
import type { Clock } from "../../kernel/clock.ts";
import { quote } from "../../kernel/text.ts";
import type { EventSink, ThoughtboxEvent } from "../../ports/events.ts";
import { createAppendFile } from "./append-file.ts";
import { createLineWriter, type LineTarget } from "./line-writer.ts";

export type EventOutputSettings = {
  output: "none" | "stderr" | "stdout" | "file";
  /** An absolute path. */
  file: string;
};

type EventOutputOptions = {
  /** Receives failures and losses. Never writes to stdout. */
  log(line: string): void;
  clock: Clock;
  streams?: { stdout: Writable; stderr: Writable };
};

export type EventOutput = {
  write: EventSink;
  /** Writes the waiting lines. Takes at most half a second. */
  close(): Promise<void>;
};

/** Characters that control a terminal or are invisible, and those that some readers treat as line ends. */
const unseen = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** An event as one line of JSON, with a newline. Invisible characters are escaped, so parsing restores them. */
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

/** Writes events as JSON lines to the target of THOUGHTBOX_EVENT_OUTPUT. Opens nothing before the first event. */
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
      log(`thoughtbox: events are waiting: ${quote(file)} cannot be written (${code ?? message})\n`);
    },
    onDropped(count) {
      const notice = { type: "events_dropped", timestamp: clock(), sessionId: null, data: { count, output } };
      log(`${JSON.stringify(notice)}\n`);
    },
  });
  return { write: (event) => writer.write(formatEventLine(event)), close: writer.close };
}

/**
 * Lines for the reader of stdout or stderr. If the reader has disconnected, they count as written, because a retry
 * cannot help.
 */
export function createStreamTarget(stream: Writable): LineTarget {
  let readerLeft = false;
  let release = () => {};

  // A destroyed stream may never call back the current write.
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
