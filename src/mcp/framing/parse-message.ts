import { INVALID_REQUEST, PARSE_ERROR } from "@modelcontextprotocol/server";
import { maxJsonDepth } from "../../kernel/json/walk-json.ts";
import { errorAnswer, type Fault } from "./error-answer.ts";
import { checkMessage, createTopLevelIdScanner, tooDeep, type Verdict } from "./message-check.ts";

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

/** The maximum number of members in a message. Parsing more would delay other calls. */
const maxMembers = 60_000;
/** Shorter messages cannot have that many members. */
const suspiciousLength = 4 * maxMembers;

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts the members of all objects in a JSON text and measures its nesting, without parsing it. Stops
 * counting if the nesting is too deep.
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

/** Returns why parsing this message would delay other calls, or `undefined` if it would not. */
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
