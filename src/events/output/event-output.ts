import { type BigIntStats, constants } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { makeDirectory } from "../../disk/make-directory.ts";
import type { Clock } from "../../kernel/clock.ts";
import { quote } from "../../kernel/text.ts";
import type { EventSink, ThoughtboxEvent } from "../../ports/events.ts";
import { createLineWriter, type LineTarget } from "./line-writer.ts";

type Opened = { file: FileHandle; identity: string; separator: "" | "\n" };

const newline = 0x0a;
const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * How long a partial line must stay unchanged before it counts as abandoned. The kernel needs far less time
 * to copy a batch.
 */
const writeUnderWayMs = 20;

/**
 * True if the file ends in a partial line, for example after a power cut. Another process may be in the middle of a
 * write, so the end must stay the same for a while.
 */
export async function endsInsideLine(file: FileHandle): Promise<boolean> {
  for (let seen = -1; ; ) {
    const { size } = await file.stat();
    if (size === 0 || (await readAt(file, size - 1, 1))[0] === newline) return false;
    if (size === seen) return true;
    seen = size;
    await pause(writeUnderWayMs);
  }
}

/**
 * Removes a partial line that was written before the disk filled up. Does nothing if another process has appended
 * after it. If the partial line remains, the next process that opens the file ends it with a newline.
 */
export async function cutOffTail(file: FileHandle, tail: Buffer): Promise<void> {
  if (tail.length === 0) return;
  try {
    const { size } = await file.stat();
    const start = size - tail.length;
    if (start >= 0 && tail.equals(await readAt(file, start, tail.length))) await file.truncate(start);
  } catch {
    // The lines are written again in any case.
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/**
 * Appends to a file that other processes also append to, and that log rotation may rename or delete. A batch
 * is one `write` to a descriptor in append mode, which the kernel does not interleave with others. The first
 * line opens the file. The file's name is checked again at most every `recheckMs`.
 */
export function createAppendFile(path: string, recheckMs = 250): LineTarget {
  let opened: Opened | undefined;
  let checkedAt = 0;

  async function current(): Promise<Opened> {
    if (opened && performance.now() - checkedAt < recheckMs) return opened;
    if (opened && (await identityAt(path)) !== opened.identity) await release();
    opened ??= await openToAppend(path);
    checkedAt = performance.now();
    return opened;
  }

  async function release(): Promise<void> {
    const file = opened?.file;
    opened = undefined;
    await file?.close();
  }

  async function append({ file, separator }: Opened, lines: readonly string[]): Promise<number> {
    const bytes = Buffer.from(separator + lines.join(""));
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten === bytes.length) return lines.length;

    const written = bytes.subarray(0, bytesWritten);
    const whole = written.subarray(separator.length, written.lastIndexOf(newline) + 1);
    await cutOffTail(file, written.subarray(separator.length + whole.length));
    if (whole.length === 0) throw new Error("there is no space for another line");
    return whole.filter((byte) => byte === newline).length;
  }

  return {
    async write(lines) {
      let count = 0;
      try {
        const target = await current();
        count = await append(target, lines);
        target.separator = "";
      } finally {
        // Opening the file again shows its actual end, including repairs by other processes.
        if (count < lines.length) await release();
      }
      return count;
    },
    close: release,
  };
}

/** Uses O_NONBLOCK, because opening a FIFO at this path would wait forever. */
async function openToAppend(path: string): Promise<Opened> {
  await makeDirectory(dirname(path));
  const file = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    const stats = await file.stat({ bigint: true });
    refuseUnfit(stats);
    return { file, identity: identify(stats), separator: (await endsInsideLine(file)) ? "\n" : "" };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

function refuseUnfit(stats: BigIntStats): void {
  if (!stats.isFile()) throw new Error("it is not a regular file");
  const ownUid = process.getuid?.();
  if (ownUid !== undefined && stats.uid !== BigInt(ownUid)) throw new Error("it belongs to another user");
}

const identify = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

async function identityAt(path: string): Promise<string | undefined> {
  return lstat(path, { bigint: true }).then(identify, () => undefined);
}

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

/** Formats an event as a line of JSON with a newline. Escapes invisible characters. Parsing restores them. */
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
      log(`thoughtbox: events are waiting: ${quote(file)} is not writable (${code ?? message})\n`);
    },
    onDropped(count) {
      const notice = { type: "events_dropped", timestamp: clock(), sessionId: null, data: { count, output } };
      log(`${JSON.stringify(notice)}\n`);
    },
  });
  return { write: (event) => writer.write(formatEventLine(event)), close: writer.close };
}

/**
 * Writes lines to stdout or stderr. If the reader has disconnected, treats lines as written, because a retry cannot
 * help.
 */
export function createStreamTarget(stream: Writable): LineTarget {
  let readerLeft = false;
  let release = () => {};

  // A destroyed stream may never call the callback of the current write.
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
