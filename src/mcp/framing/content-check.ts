import { INVALID_PARAMS, INVALID_REQUEST } from "@modelcontextprotocol/server";
import type { Fault } from "./error-answer.ts";
import { maxJsonDepth } from "./limits.ts";

type Key = string | number;
type Place = { container: object; depth: number; key: Key; parent: Place | undefined };

const loneSurrogate = /\p{Surrogate}/u;

/**
 * Looks for what JSON.parse lets through and no store or client should meet: deep nesting, text that
 * is not Unicode, numbers that became Infinity. Iterative, so that hostile nesting costs no stack.
 */
export function findContentFault(message: object): Fault | undefined {
  const unvisited: Place[] = [{ container: message, depth: 1, key: "", parent: undefined }];
  for (let place = unvisited.pop(); place !== undefined; place = unvisited.pop()) {
    const { container, depth } = place;
    const keys = Array.isArray(container) ? container.keys() : Object.keys(container);
    for (const key of keys) {
      const value = (container as Record<Key, unknown>)[key];
      if (isIllFormed(key) || isIllFormed(value)) return illFormedText(place, key);
      if (typeof value === "number" && !Number.isFinite(value)) return infiniteNumber(place, key);
      if (typeof value !== "object" || value === null) continue;
      if (depth === maxJsonDepth) return tooDeep;
      unvisited.push({ container: value, depth: depth + 1, key, parent: place });
    }
  }
  return undefined;
}

const tooDeep: Fault = {
  code: INVALID_REQUEST,
  message: `message is nested deeper than the limit of ${maxJsonDepth} levels`,
};

function illFormedText(parent: Place, key: Key): Fault {
  return { code: INVALID_PARAMS, message: `text must be well-formed Unicode: ${describePath(parent, key)}` };
}

function infiniteNumber(parent: Place, key: Key): Fault {
  return { code: INVALID_PARAMS, message: `numbers must be finite: ${describePath(parent, key)}` };
}

function isIllFormed(value: unknown): boolean {
  return typeof value === "string" && loneSurrogate.test(value);
}

/** Keys are the sender's text: shown short and in printable ASCII only. */
function describePath(parent: Place, key: Key): string {
  const steps = [printable(key)];
  for (let place = parent; place.parent !== undefined; place = place.parent) {
    steps.unshift(printable(place.key));
  }
  const path = steps.join(".");
  return path.length <= 120 ? path : `${path.slice(0, 119)}…`;
}

function printable(key: Key): string {
  return String(key)
    .slice(0, 40)
    .replace(/[^\x20-\x7e]/g, "?");
}
