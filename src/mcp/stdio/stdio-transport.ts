import type { Readable, Writable } from "node:stream";
import {
  INTERNAL_ERROR,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from "@modelcontextprotocol/server";
import { type ErrorAnswer, errorAnswer, maxMessageBytes, oversizeAnswer } from "../framing/error-answer.ts";
import {
  createTopLevelIdScanner,
  isListen,
  type TopLevelIdScanner,
  type Verdict,
} from "../framing/message-check.ts";
import { parseMessage } from "../framing/parse-message.ts";
import type { NarrowedListen } from "../listen.ts";

type StdioTransportOptions = {
  input: Readable;
  output: Writable;
  /** Called once, when the transport has closed for any reason and its output is flushed. */
  onEnd?: () => void;
  /** Called when a modern client subscribes to changes. The client gets the acknowledgement after this resolves. */
  onListen?: (message: JSONRPCRequest) => Promise<NarrowedListen>;
  /** Awaited when the input has ended, before the time limit for requests in flight starts. */
  beforeEnd?: () => Promise<void>;
};

type Listen = NonNullable<StdioTransportOptions["onListen"]>;

// The process exits within a second of its input ending. `closeLimitMs` covers the wait for answers and the flush.
const answerLimitMs = 800;
const closeLimitMs = 900;
const minFlushMs = 100;

/**
 * The maximum unread output. It exceeds the pipe's own buffer, so a client can write many requests before it
 * reads any answers.
 */
const maxUnreadBytes = 4 * 1024 * 1024;

/** Exchanges one JSON-RPC message per line. Answers every request, including malformed and oversize ones. */
export function createStdioTransport({
  input,
  output,
  onEnd,
  onListen,
  beforeEnd,
}: StdioTransportOptions): Transport {
  const lines = createLineReader();
  const inFlight = createInFlight();
  let started = false;
  let inputEnded = false;
  let closing: Promise<void> | undefined;

  const frames = createFrameWriter(output, {
    onDrain: () => {
      if (started && !inputEnded && closing === undefined) input.resume();
    },
    onBroken: (error) => {
      // Connections normally end when the client disconnects. Anything else is reported on stderr.
      if (error !== undefined && !isBrokenPipe(error)) transport.onerror?.(error);
      void close();
    },
  });

  const transport: Transport = {
    async start() {
      if (started) throw new Error("the stdio transport is already started");
      started = true;
      input.on("data", readChunk);
      input.on("error", endWithError);
      input.on("end", endInput);
      input.on("close", endInput);
      if (input.readableEnded || input.destroyed) setImmediate(endInput);
    },
    async send(message) {
      // Sending after the end is not an error, because onclose was already called.
      if (closing !== undefined) return;
      const written = write(message);
      inFlight.noteSent(message);
      await written;
    },
    close: () => close(),
  };

  function readChunk(chunk: Uint8Array): void {
    for (const line of lines.push(chunk)) receive(line);
  }

  function receive(incoming: IncomingLine): void {
    if (closing !== undefined) return;
    const verdict = judge(incoming);
    if ("deliver" in verdict) {
      inFlight.noteReceived(verdict.deliver);
      void deliver(verdict.deliver);
    } else if ("answer" in verdict) {
      for (const answer of verdict.answer) void write(answer);
    } else {
      transport.onerror?.(new Error(verdict.drop));
    }
  }

  async function deliver(message: JSONRPCMessage): Promise<void> {
    const heard = onListen && isListen(message) ? await narrow(message, onListen) : { deliver: message };
    if (closing !== undefined) return;
    if ("deliver" in heard) transport.onmessage?.(heard.deliver);
    else await transport.send(heard.refuse as JSONRPCMessage);
  }

  async function narrow(message: JSONRPCRequest, listen: Listen): Promise<NarrowedListen> {
    try {
      return await listen(message);
    } catch (thrown) {
      transport.onerror?.(thrown as Error);
      return { refuse: errorAnswer(message.id, cannotFollow) };
    }
  }

  function write(message: JSONRPCMessage | ErrorAnswer): Promise<void> {
    const written = frames.write(message);
    if (frames.unreadBytes() > maxUnreadBytes) input.pause();
    return written;
  }

  function endWithError(error: Error): void {
    transport.onerror?.(error);
    endInput();
  }

  function endInput(): void {
    if (inputEnded || closing !== undefined) return;
    inputEnded = true;
    void answerAndClose();
  }

  async function answerAndClose(): Promise<void> {
    for (const line of lines.end()) receive(line);
    await beforeEnd?.().catch(() => {});
    const endedAt = performance.now();
    await settleWithin(inFlight.whenAllAnswered(), answerLimitMs);
    await close(closeLimitMs - (performance.now() - endedAt));
  }

  function close(flushMs = closeLimitMs): Promise<void> {
    closing ??= shutDown(Math.max(flushMs, minFlushMs));
    return closing;
  }

  async function shutDown(flushMs: number): Promise<void> {
    input.off("data", readChunk);
    input.pause();
    for (const id of inFlight.unanswered()) void frames.write(errorAnswer(id, closedTooSoon));
    await settleWithin(frames.flush(), flushMs);
    transport.onclose?.();
    onEnd?.();
  }

  return transport;
}

const cannotFollow = {
  code: INTERNAL_ERROR,
  message: "subscriptions are not available right now. Try again",
};

const closedTooSoon = {
  code: INTERNAL_ERROR,
  message: "the connection closed before this request finished. The request may still have taken effect",
};

function judge(incoming: IncomingLine): Verdict {
  if ("line" in incoming) return parseMessage(incoming.line);
  const { id, bytes } = incoming.oversize;
  return { answer: [oversizeAnswer(id, bytes)] };
}

function isBrokenPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === "EPIPE";
}

type InFlight = {
  noteReceived(message: JSONRPCMessage): void;
  noteSent(message: JSONRPCMessage): void;
  /** One entry per outstanding answer, so an ID that was used twice may appear twice. */
  unanswered(): RequestId[];
  whenAllAnswered(): Promise<void>;
};

/** Tracks requests that the server has received and not answered yet. */
function createInFlight(): InFlight {
  const unansweredIds = new Map<RequestId, number>();
  let waiting: (() => void)[] = [];

  function settle(id: unknown): void {
    const count = unansweredIds.get(id as RequestId);
    if (count === undefined) return;
    if (count > 1) unansweredIds.set(id as RequestId, count - 1);
    else unansweredIds.delete(id as RequestId);
    if (unansweredIds.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    noteReceived(message) {
      if (!("method" in message)) return;
      if ("id" in message) unansweredIds.set(message.id, (unansweredIds.get(message.id) ?? 0) + 1);
      // The SDK aborts a cancelled request and never answers it.
      else if (message.method === "notifications/cancelled") settle(message.params?.["requestId"]);
    },
    noteSent(message) {
      if (!("method" in message)) settle(message.id);
      // A subscription stays open by design, so only its acknowledgement is outstanding.
      else if (message.method === "notifications/subscriptions/acknowledged") {
        settle(message.params?._meta?.[SUBSCRIPTION_ID_META_KEY]);
      }
    },
    unanswered: () => [...unansweredIds].flatMap(([id, count]) => Array<RequestId>(count).fill(id)),
    whenAllAnswered() {
      if (unansweredIds.size === 0) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

type FrameWriter = {
  /** Resolves when the frame is written, or when the reader has disconnected. */
  write(message: JSONRPCMessage | ErrorAnswer): Promise<void>;
  /** Resolves when every frame written so far has been flushed. */
  flush(): Promise<void>;
  unreadBytes(): number;
};

type FrameWriterEvents = { onDrain: () => void; onBroken: (error: Error | undefined) => void };

function createFrameWriter(output: Writable, { onDrain, onBroken }: FrameWriterEvents): FrameWriter {
  const waiting = new Set<() => void>();
  let broken = false;
  let lastWrite = Promise.resolve();

  // A destroyed stream may never call the callbacks of its pending writes.
  function breakOff(error?: Error): void {
    if (broken) return;
    broken = true;
    for (const resolve of waiting) resolve();
    waiting.clear();
    onBroken(error);
  }

  output.on("error", breakOff);
  output.on("close", () => breakOff());
  output.on("drain", onDrain);

  return {
    write(message) {
      const frame = `${JSON.stringify(message)}\n`;
      if (broken) return Promise.resolve();
      lastWrite = new Promise((resolve) => {
        waiting.add(resolve);
        output.write(frame, () => {
          waiting.delete(resolve);
          resolve();
        });
      });
      return lastWrite;
    },
    flush: () => lastWrite,
    unreadBytes: () => output.writableLength,
  };
}

/** Waits for the work, but no longer than the limit. */
async function settleWithin(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

export type IncomingLine = { line: Uint8Array } | { oversize: { id: RequestId | null; bytes: number } };

type LineReader = {
  /** The lines that this chunk completes, without line endings. Blank lines are skipped. */
  push(chunk: Uint8Array): IncomingLine[];
  /** The unfinished last line, if there is one. */
  end(): IncomingLine[];
};

const newline = 0x0a;
const carriageReturn = 0x0d;
const nothing = new Uint8Array(0);

/**
 * A line that exceeds the limit is not stored. It is scanned for its ID as it arrives, and reported at its
 * end.
 */
export function createLineReader(limit: number = maxMessageBytes): LineReader {
  let held = nothing;
  let length = 0;
  let scanner: TopLevelIdScanner | undefined;

  function hold(bytes: Uint8Array): void {
    const before = length;
    length += bytes.length;
    if (length > limit && scanner === undefined) {
      scanner = createTopLevelIdScanner();
      scanner.feed(held.subarray(0, before));
      held = nothing;
    }
    if (scanner !== undefined) {
      scanner.feed(bytes);
      return;
    }
    if (length > held.length) held = grow(held, length, limit);
    held.set(bytes, before);
  }

  function takeLine(): IncomingLine[] {
    const bytes = length;
    const taken = scanner === undefined ? held.subarray(0, length) : scanner.id();
    held = nothing;
    length = 0;
    scanner = undefined;
    return taken instanceof Uint8Array ? toLine(taken) : [{ oversize: { id: taken, bytes } }];
  }

  function finishLine(rest: Uint8Array): IncomingLine[] {
    if (length === 0 && rest.length <= limit) return toLine(rest);
    hold(rest);
    return takeLine();
  }

  return {
    push(chunk) {
      const lines: IncomingLine[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        lines.push(...finishLine(chunk.subarray(start, end)));
        start = end + 1;
      }
      if (start < chunk.length) hold(chunk.subarray(start));
      return lines;
    },
    end: () => takeLine(),
  };
}

/** Doubles the buffer, so that the work stays proportional to the line, however small the chunks are. */
function grow(bytes: Uint8Array, needed: number, limit: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(Math.min(limit, Math.max(needed, 2 * bytes.length, 4096)));
  grown.set(bytes);
  return grown;
}

function toLine(bytes: Uint8Array): IncomingLine[] {
  const line = bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
  return line.every(isBlank) ? [] : [{ line }];
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === carriageReturn;
}
