import { INVALID_PARAMS, INVALID_REQUEST } from "@modelcontextprotocol/server";
import { findHostile, maxJsonDepth } from "../../kernel/json/json-guard.ts";
import type { Fault } from "./error-answer.ts";

export const tooDeep: Fault = {
  code: INVALID_REQUEST,
  message: `message is nested deeper than the limit of ${maxJsonDepth} levels`,
};

type Message = { method?: unknown; params?: unknown };

/**
 * What JSON.parse lets through and no client should meet. `perform` looks through the arguments of a call itself, so they
 * are left out here: nothing is walked twice.
 */
export function findContentFault(message: Message): Fault | undefined {
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

/** Keys are the sender's text: shown short and in printable ASCII only. */
function describePath(steps: readonly (string | number)[]): string {
  const path = steps.map(printable).join(".");
  return path.length <= 120 ? path : `${path.slice(0, 119)}…`;
}

function printable(key: string | number): string {
  return String(key)
    .slice(0, 40)
    .replace(/[^\x20-\x7e]/g, "?");
}
