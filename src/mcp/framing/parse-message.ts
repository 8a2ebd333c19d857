import type { RequestId } from "@modelcontextprotocol/server";
import { INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server";
import { maxJsonDepth } from "../../kernel/json/walk-json.ts";
import { errorAnswer, type Fault, maxMessageBytes } from "./error-answer.ts";
import {
  checkMessage,
  createTopLevelIdScanner,
  type TopLevelIdScanner,
  tooDeep,
  type Verdict,
} from "./message-check.ts";

export function parseMessage(message: Uint8Array | string): Verdict {
  let text: string;
  try {
    text = typeof message === "string" ? message : new TextDecoder("utf-8", { fatal: true }).decode(message);
  } catch {
    return answerUnreadable(message, unreadable("message is not valid UTF-8"));
  }
  const costly = text.length > suspiciousLength && findCost(bytesOf(message));
  if (costly) return answerUnreadable(message, costly);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return answerUnreadable(message, unreadable("message is not valid JSON"));
  }
  return checkMessage(value);
}

/** Parsing an object with more fields would delay other calls. */
const maxMembers = 60_000;
/** Shorter messages cannot have that many members. */
const suspiciousLength = 4 * maxMembers;

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the members of all objects in a JSON text and measures its nesting, without parsing it. Stops where the
 * nesting is too deep.
 */
function measureJson(json: Uint8Array): { members: number; depth: number } {
  let members = 0;
  let depth = 0;
  let open = 0;
  let inString = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === quote) inString = !inString;
    else if (byte === backslash) at += 1;
    else if (inString) continue;
    else if (byte === colon) members += 1;
    else if (byte === openList || byte === openObject) {
      open += 1;
      if (open > depth) depth = open;
      if (depth > maxJsonDepth) break;
    } else if (byte === closeList || byte === closeObject) open -= 1;
  }
  return { members, depth };
}

/** Returns why parsing this would delay other calls. */
function findCost(json: Uint8Array): Fault | undefined {
  const { members, depth } = measureJson(json);
  if (depth > maxJsonDepth) return tooDeep;
  return members > maxMembers
    ? { code: INVALID_REQUEST, message: `message has more than ${maxMembers} fields` }
    : undefined;
}

const unreadable = (message: string): Fault => ({ code: PARSE_ERROR, message });

const bytesOf = (message: Uint8Array | string): Uint8Array =>
  typeof message === "string" ? Buffer.from(message) : message;

function answerUnreadable(message: Uint8Array | string, fault: Fault): Verdict {
  const scanner = createTopLevelIdScanner();
  scanner.feed(bytesOf(message));
  return { answer: [errorAnswer(scanner.id(), fault)] };
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

/** A line that exceeds the limit is not stored. It is scanned for its ID as it arrives, and reported at its end. */
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

/** Doubling keeps the work proportional to the line, however small the chunks are. */
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
