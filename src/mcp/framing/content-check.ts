import { INVALID_PARAMS, INVALID_REQUEST } from "@modelcontextprotocol/server";
import { findHostile, maxJsonDepth } from "../../kernel/json/json-guard.ts";
import type { Fault } from "./error-answer.ts";

/** What JSON.parse lets through and no client should meet; of what only a store minds, `perform` tells. */
export function findContentFault(message: object): Fault | undefined {
  const found = findHostile(message, ["prototype", "nul"]);
  if (!found) return undefined;
  if (found.kind === "depth")
    return {
      code: INVALID_REQUEST,
      message: `message is nested deeper than the limit of ${maxJsonDepth} levels`,
    };
  if (found.kind === "keys")
    return { code: INVALID_PARAMS, message: `an object ${found.problem}: ${describePath(found.steps)}` };
  const rule = found.kind === "number" ? "numbers must be finite" : "text must be well-formed Unicode";
  return { code: INVALID_PARAMS, message: `${rule}: ${describePath(found.steps)}` };
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
