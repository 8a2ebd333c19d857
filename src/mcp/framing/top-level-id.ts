import type { RequestId } from "@modelcontextprotocol/server";

export type TopLevelIdScanner = {
  feed(bytes: Uint8Array): void;
  /** The id to answer with, or `null`: none was found, it is not usable, or the message is itself an answer. */
  id(): RequestId | null;
};

const maxIdBytes = 256;
const openingQuote = 0x22;
const backslash = 0x5c;
const byteOrderMark = [0xef, 0xbb, 0xbf];

/**
 * Finds the id of a JSON object that is too large or too broken to parse, wherever the id stands, in
 * constant memory. It keeps only the text of one name or scalar at a time and leaves that to JSON.parse.
 */
export function createTopLevelIdScanner(): TopLevelIdScanner {
  const token = createToken(maxIdBytes + 2);
  let awaits: "object" | "name" | "value" | "nothing" = "object";
  let depth = 0;
  let inString = false;
  let escaped = false;
  let member: unknown;
  let id: RequestId | null = null;
  let hasMethod = false;
  let hasOutcome = false;

  function readByte(byte: number): void {
    if (awaits === "object") readOpening(byte);
    else if (inString) readStringByte(byte);
    else if (depth === 1) readMemberByte(byte);
    else readNestedByte(byte);
  }

  function readOpening(byte: number): void {
    if (isSpace(byte) || byteOrderMark.includes(byte)) return;
    awaits = byte === 0x7b ? "name" : "nothing";
    depth = 1;
  }

  function readStringByte(byte: number): void {
    if (depth === 1) token.keep(byte);
    if (escaped) escaped = false;
    else if (byte === backslash) escaped = true;
    else if (byte === openingQuote) inString = false;
  }

  function readNestedByte(byte: number): void {
    if (byte === openingQuote) inString = true;
    else if (isOpening(byte)) depth += 1;
    else if (isClosing(byte)) depth -= 1;
  }

  function readMemberByte(byte: number): void {
    if (byte === 0x3a) startValue();
    else if (byte === 0x2c) endMember("name");
    else if (isClosing(byte)) endMember("nothing");
    else {
      token.keep(byte);
      readNestedByte(byte);
    }
  }

  function startValue(): void {
    member = token.parse();
    token.clear();
    // A second colon: from here on nothing can be trusted.
    awaits = awaits === "name" ? "value" : "nothing";
    if (member === "method") hasMethod = true;
    if (member === "result" || member === "error") hasOutcome = true;
  }

  function endMember(next: "name" | "nothing"): void {
    // The last of several ids counts, as it does for JSON.parse.
    if (awaits === "value" && member === "id") id = toUsableId(token.parse());
    token.clear();
    awaits = next;
  }

  return {
    feed(bytes) {
      for (let at = 0; at < bytes.length && awaits !== "nothing"; at += 1) readByte(bytes[at] as number);
    },
    id: () => (hasOutcome && !hasMethod ? null : id),
  };
}

/** The bytes of one name or scalar. One that is too long parses as `undefined`, like one that is broken. */
function createToken(capacity: number) {
  const bytes = new Uint8Array(capacity);
  let length = 0;
  return {
    keep(byte: number): void {
      if (length === 0 && isSpace(byte)) return;
      if (length < capacity) bytes[length] = byte;
      length += 1;
    },
    clear(): void {
      length = 0;
    },
    parse(): unknown {
      if (length > capacity) return undefined;
      try {
        return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, length)));
      } catch {
        return undefined;
      }
    },
  };
}

function isOpening(byte: number): boolean {
  return byte === 0x7b || byte === 0x5b;
}

function isClosing(byte: number): boolean {
  return byte === 0x7d || byte === 0x5d;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** An id that an answer can carry back unchanged; `null` stands for "none", as JSON-RPC asks. */
export function toUsableId(value: unknown): RequestId | null {
  if (typeof value === "string") return value;
  return Number.isSafeInteger(value) ? (value as number) : null;
}
