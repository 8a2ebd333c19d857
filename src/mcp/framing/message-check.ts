import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from "@modelcontextprotocol/server";
import { findHostile, maxJsonDepth } from "../../kernel/json/walk-json.ts";
import { type ErrorAnswer, errorAnswer, type Fault } from "./error-answer.ts";

/** What a transport does with an incoming message: deliver it, answer it itself, or log it and drop it. */
export type Verdict = { deliver: JSONRPCMessage } | { answer: ErrorAnswer[] } | { drop: string };

type Envelope = {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  params?: unknown;
  result?: unknown;
  error?: unknown;
};

/**
 * The SDK silently ignores messages that it does not recognise, so this check stops them. Each request is
 * answered exactly once: by the SDK if it is delivered, and here if it is not.
 */
export function checkMessage(value: unknown): Verdict {
  if (Array.isArray(value)) return { answer: answerBatch(value) };
  if (!isObject(value)) return { answer: [errorAnswer(null, invalidRequest("a message must be an object"))] };
  if (isResponse(value)) return checkResponse(value);
  if (isNotification(value)) return checkNotification(value);
  return checkRequest(value);
}

export const tooDeep: Fault = {
  code: INVALID_REQUEST,
  message: `message is nested deeper than the limit of ${maxJsonDepth} levels`,
};

type Message = { method?: unknown; params?: unknown };

/**
 * Finds content that JSON.parse accepts but no client should receive. `perform` checks the arguments of a call itself,
 * so they are skipped here and not checked twice.
 */
function findContentFault(message: Message): Fault | undefined {
  const found = findHostile(withoutArguments(message), ["prototype", "nul"]);
  if (!found) return undefined;
  if (found.kind === "depth") return tooDeep;
  if (found.kind === "keys")
    return { code: INVALID_PARAMS, message: `an object ${found.problem}: ${describePath(found.steps)}` };
  const rule = found.kind === "number" ? "numbers must be finite" : "text must be well-formed Unicode";
  return { code: INVALID_PARAMS, message: `${rule}: ${describePath(found.steps)}` };
}

function withoutArguments(message: Message): Message {
  const { method, params } = message;
  if (method !== "tools/call" || typeof params !== "object" || params === null) return message;
  const { arguments: _arguments, ...others } = params as { arguments?: unknown };
  return { ...message, params: others };
}

/** Keys are chosen by the sender, so they are shortened and shown in printable ASCII only. */
function describePath(steps: readonly (string | number)[]): string {
  const path = steps.map(printable).join(".");
  return path.length <= 120 ? path : `${path.slice(0, 119)}…`;
}

function printable(key: string | number): string {
  return String(key)
    .slice(0, 40)
    .replace(/[^\x20-\x7e]/g, "?");
}

/** The maximum length of a resource URI. All of our URIs are much shorter. */
const longestUri = 2_000;
const maxUris = 1_000;

/** Finds URIs that are too long or too many. A URI is kept for the lifetime of its subscription. */
function findUriFault({ params }: { params?: unknown }): Fault | undefined {
  const { uri, notifications } = (params ?? {}) as { uri?: unknown; notifications?: unknown };
  const { resourceSubscriptions } = (notifications ?? {}) as { resourceSubscriptions?: unknown };
  const listed = Array.isArray(resourceSubscriptions) ? resourceSubscriptions : [];
  if (listed.length > maxUris) return invalid(`one request can subscribe to at most ${maxUris} resources`);
  const tooLong = [uri, ...listed].some((one) => typeof one === "string" && one.length > longestUri);
  return tooLong ? invalid(`a resource URI can have at most ${longestUri} characters`) : undefined;
}

const invalid = (message: string): Fault => ({ code: INVALID_PARAMS, message });

function checkRequest(message: Envelope): Verdict {
  const id = toUsableId(message.id);
  const fault =
    findCallFault(message) ?? (id === null ? idFault : (findUriFault(message) ?? findContentFault(message)));
  if (fault !== undefined) return { answer: [errorAnswer(id, fault)] };
  const request = { id, ...toCall(message) };
  return isJSONRPCRequest(request) ? { deliver: request } : { answer: [errorAnswer(id, metaFault)] };
}

function checkNotification(message: Envelope): Verdict {
  const fault = findCallFault(message) ?? findContentFault(message);
  const notification = toCall(message);
  if (fault === undefined && isJSONRPCNotification(notification)) return { deliver: notification };
  return { drop: `malformed notification: ${(fault ?? metaFault).message}` };
}

/** A malformed response still ends our request, as a failure, so that the caller need not wait for a timeout. */
function checkResponse(message: Envelope): Verdict {
  const { jsonrpc, id, result, error } = message;
  const response = error === undefined ? { jsonrpc, id, result } : { jsonrpc, id, error };
  const fault = findContentFault(message);
  if (fault === undefined && isJSONRPCResponse(response)) return { deliver: response };
  const reason = `malformed response: ${fault?.message ?? "neither a JSON-RPC 2.0 result nor an error"}`;
  const usableId = toUsableId(id);
  if (usableId === null) return { drop: reason };
  return { deliver: { jsonrpc: "2.0", id: usableId, error: invalidRequest(reason) } };
}

/** A larger batch gets a single answer, because an answer can be ten times as large as its request. */
const maxBatchAnswers = 1_000;

function answerBatch(batch: unknown[]): ErrorAnswer[] {
  const fault = invalidRequest("batches are not supported. Send one message at a time");
  const ids: (string | number)[] = [];
  for (const element of batch) {
    if (!isObject(element) || isResponse(element)) continue;
    const id = toUsableId(element.id);
    if (id !== null) ids.push(id);
    if (ids.length > maxBatchAnswers) return [errorAnswer(null, fault)];
  }
  return ids.length === 0 ? [errorAnswer(null, fault)] : ids.map((id) => errorAnswer(id, fault));
}

/** Keeps only the members defined by JSON-RPC, because the SDK does not recognise a message with any others. */
function toCall({ jsonrpc, method, params }: Envelope) {
  return params === undefined ? { jsonrpc, method } : { jsonrpc, method, params };
}

function findCallFault(message: Envelope): Fault | undefined {
  if (message.jsonrpc !== "2.0") return invalidRequest('jsonrpc must be "2.0"');
  if (typeof message.method !== "string") return invalidRequest("method must be a string");
  if (hasOutcome(message))
    return invalidRequest("a message with a method must not have a result or an error");
  if (message.params !== undefined && !isObject(message.params)) {
    return { code: INVALID_PARAMS, message: "params must be an object" };
  }
  return undefined;
}

const idFault = invalidRequest("id must be a string or a safe integer");

const metaFault: Fault = {
  code: INVALID_PARAMS,
  message: "params._meta must be an object, and its progressToken a string or an integer",
};

function invalidRequest(message: string): Fault {
  return { code: INVALID_REQUEST, message };
}

function isNotification(message: Envelope): boolean {
  return message.id === undefined && typeof message.method === "string";
}

function isResponse(message: Envelope): boolean {
  return message.method === undefined && hasOutcome(message);
}

function hasOutcome(message: Envelope): boolean {
  return message.result !== undefined || message.error !== undefined;
}

function isObject(value: unknown): value is Envelope {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type TopLevelIdScanner = {
  feed(bytes: Uint8Array): void;
  /** The ID to answer with. `null` if there is none, if it is not usable, or if the message is itself an answer. */
  id(): RequestId | null;
};

const maxIdBytes = 256;
const openingQuote = 0x22;
const backslash = 0x5c;
const byteOrderMark = [0xef, 0xbb, 0xbf];

/**
 * In constant memory, finds the ID anywhere in a JSON object that is too large or too broken to parse. The
 * parser keeps only the text of one name or scalar at a time, which JSON.parse then decodes.
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
    // After a second colon, the text is not valid JSON, so the rest is ignored.
    awaits = awaits === "name" ? "value" : "nothing";
    if (member === "method") hasMethod = true;
    if (member === "result" || member === "error") hasOutcome = true;
  }

  function endMember(next: "name" | "nothing"): void {
    // If there are several IDs, the last one is used, as in JSON.parse.
    if (awaits === "value" && member === "id") id = toUsableId(token.parse());
    token.clear();
    awaits = next;
  }

  return {
    feed(bytes) {
      for (let at = 0; at < bytes.length && awaits !== "nothing"; at += 1) {
        const byte = bytes[at] as number;
        // Counts brackets below the top level here, because a hostile message may consist mostly of them, and
        // calling a function for each would cost more.
        if (depth > 1 && !inString && byte !== openingQuote) {
          if (byte === 0x7b || byte === 0x5b) depth += 1;
          else if (byte === 0x7d || byte === 0x5d) depth -= 1;
        } else readByte(byte);
      }
    },
    id: () => (hasOutcome && !hasMethod ? null : id),
  };
}

/** Collects the bytes of one name or scalar. Bytes that are too long or broken parse as `undefined`. */
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

/** Returns an ID that an answer can repeat unchanged. `null` means none, as JSON-RPC requires. */
export function toUsableId(value: unknown): RequestId | null {
  if (typeof value === "string") return value;
  return Number.isSafeInteger(value) ? (value as number) : null;
}

/** True for the message with which modern clients subscribe to changes. */
export const isListen = (message: unknown): message is JSONRPCRequest =>
  (message as Partial<JSONRPCRequest> | undefined)?.method === "subscriptions/listen";
