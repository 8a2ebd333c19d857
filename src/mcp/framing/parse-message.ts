import { PARSE_ERROR } from "@modelcontextprotocol/server";
import { errorAnswer } from "./error-answer.ts";
import { checkMessage, type Verdict } from "./message-check.ts";
import { createTopLevelIdScanner } from "./top-level-id.ts";

export function parseMessage(message: Uint8Array | string): Verdict {
  let text: string;
  try {
    text = typeof message === "string" ? message : new TextDecoder("utf-8", { fatal: true }).decode(message);
  } catch {
    return answerUnreadable(message, "message is not valid UTF-8");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return answerUnreadable(message, "message is not valid JSON");
  }
  return checkMessage(value);
}

function answerUnreadable(message: Uint8Array | string, reason: string): Verdict {
  const scanner = createTopLevelIdScanner();
  scanner.feed(typeof message === "string" ? Buffer.from(message) : message);
  return { answer: [errorAnswer(scanner.id(), { code: PARSE_ERROR, message: reason })] };
}
