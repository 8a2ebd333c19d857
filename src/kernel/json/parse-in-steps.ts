import type { Steps } from "../steps.ts";
import { maxJsonDepth, maxJsonKeys } from "./walk-json.ts";

/** How many characters to parse at once. `JSON.parse` takes about a millisecond for that many. */
const pieceLength = 64 * 1024;
/** The maximum number of members in a list. The engine copies all of them whenever a list grows. */
const maxMembers = 1_000_000;

type Bounds = {
  /** How many characters are passed to `JSON.parse` at once. */
  piece?: number;
  /** The maximum number of keys in an object that is longer than a piece. */
  keys?: number;
};

type List = { kind: "list"; value: unknown[]; hasMembers: boolean };
type Fields = {
  kind: "object";
  value: Record<string, unknown>;
  keys: number;
  key: string;
  hasMembers: boolean;
};
type Container = List | Fields;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const letterU = 0x75;
const listStart = 0x5b;
const listEnd = 0x5d;
const objectStart = 0x7b;
const objectEnd = 0x7d;

/**
 * Parses JSON of any length in short steps. Returns `undefined` if `JSON.parse` would throw, or if a container that is
 * longer than a piece has more levels or members than `findHostileJson` allows. Members that fit into a piece are passed
 * to `JSON.parse` together. Only longer values are parsed here.
 */
export function* parseJsonInSteps(
  text: string,
  { piece = pieceLength, keys = maxJsonKeys }: Bounds = {},
): Steps<{ value: unknown } | undefined> {
  if (text.length <= piece) return parseShort(text);
  const open: Container[] = [];
  let at = yield* skipBlanks(text, 0);
  let read: { value: unknown } | undefined;

  for (;;) {
    yield;
    const container = open.at(-1);
    if (read) {
      // A value has ended. The result is a member of the container, or the whole text.
      if (!container) return (yield* skipBlanks(text, at)) < text.length ? undefined : { value: read.value };
      add(container, container.kind === "object" ? container.key : "", read.value);
      if (isOverfull(container, keys)) return undefined;
      read = undefined;
      at = yield* skipBlanks(text, at);
      const code = text.charCodeAt(at);
      at += 1;
      if (code === endOf(container)) read = open.pop();
      else if (code !== comma) return undefined;
      continue;
    }
    if (container) {
      at = yield* skipBlanks(text, at);
      const run = findRun(text, at, piece);
      if (run) {
        if (run.isClosed && text.charCodeAt(run.end) !== endOf(container)) return undefined;
        if (!addRun(container, text.slice(at, run.end), run.isClosed)) return undefined;
        if (isOverfull(container, keys)) return undefined;
        at = run.end + 1;
        if (run.isClosed) read = open.pop();
        continue;
      }
      if (container.kind === "object") {
        const key = yield* readText(text, at, piece);
        if (!key) return undefined;
        container.key = key.value;
        at = yield* skipBlanks(text, key.end);
        if (text.charCodeAt(at) !== colon) return undefined;
        at = yield* skipBlanks(text, at + 1);
      }
    }
    const code = text.charCodeAt(at);
    if (code === listStart || code === objectStart) {
      if (open.length >= maxJsonDepth) return undefined;
      open.push(
        code === listStart
          ? { kind: "list", value: [], hasMembers: false }
          : { kind: "object", value: {}, keys: 0, key: "", hasMembers: false },
      );
      at += 1;
    } else if (code === quote) {
      const string = yield* readText(text, at, piece);
      if (!string) return undefined;
      read = string;
      at = string.end;
    } else {
      const end = yield* skip(text, at, isInScalar);
      read = parseShort(text.slice(at, end));
      if (!read) return undefined;
      at = end;
    }
  }
}

const endOf = ({ kind }: Container): number => (kind === "list" ? listEnd : objectEnd);

/**
 * Finds as many whole members as fit into a piece. The last member ends at a comma or at the end of the
 * container.
 */
function findRun(text: string, from: number, piece: number): { end: number; isClosed: boolean } | undefined {
  const limit = Math.min(text.length, from + piece);
  let depth = 0;
  let lastComma = -1;
  for (let at = from; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = findQuote(text, at + 1, limit);
    else if (code === listStart || code === objectStart) depth += 1;
    else if (code === listEnd || code === objectEnd) {
      if (depth === 0) return { end: at, isClosed: true };
      depth -= 1;
    } else if (code === comma && depth === 0) lastComma = at;
  }
  return lastComma === -1 ? undefined : { end: lastComma, isClosed: false };
}

function findQuote(text: string, from: number, limit: number): number {
  for (let at = from; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at += 1;
  }
  return limit;
}

/** A container can end right after its opening bracket, but not after a comma. */
function addRun(container: Container, members: string, isClosed: boolean): boolean {
  const mayBeEmpty = isClosed && !container.hasMembers;
  if (container.kind === "list") {
    const list = parseShort(`[${members}]`)?.value as unknown[] | undefined;
    if (!list || (list.length === 0 && !mayBeEmpty)) return false;
    for (const value of list) container.value.push(value);
  } else {
    const fields = parseShort(`{${members}}`)?.value as Record<string, unknown> | undefined;
    const keys = Object.keys(fields ?? {});
    if (!fields || (keys.length === 0 && !mayBeEmpty)) return false;
    for (const key of keys) add(container, key, fields[key]);
  }
  container.hasMembers = true;
  return true;
}

const isOverfull = (container: Container, keys: number): boolean =>
  container.kind === "list" ? container.value.length > maxMembers : container.keys > keys;

function add(container: Container, key: string, value: unknown): void {
  container.hasMembers = true;
  if (container.kind === "list") {
    container.value.push(value);
    return;
  }
  if (!Object.hasOwn(container.value, key)) container.keys += 1;
  // Assigning to `__proto__` would set the prototype. `JSON.parse` creates a plain member.
  if (key === "__proto__")
    Object.defineProperty(container.value, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  else container.value[key] = value;
}

/** Reads a string in pieces. Pieces never end inside a character or an escape sequence. */
function* readText(
  text: string,
  at: number,
  piece: number,
): Steps<{ value: string; end: number } | undefined> {
  if (text.charCodeAt(at) !== quote) return undefined;
  const parts: string[] = [];
  for (let from = at + 1; ; ) {
    const limit = Math.min(text.length, from + piece);
    let end = from;
    while (end < limit && text.charCodeAt(end) !== quote) {
      if (text.charCodeAt(end) === backslash) end += text.charCodeAt(end + 1) === letterU ? 6 : 2;
      else end += 1;
    }
    const part = parseShort(`"${text.slice(from, end)}"`)?.value;
    if (typeof part !== "string" || end >= text.length) return undefined;
    parts.push(part);
    if (text.charCodeAt(end) === quote) return { value: parts.join(""), end: end + 1 };
    from = end;
    yield;
  }
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** True if the character can be part of a number or a word. `JSON.parse` decides whether the result is valid. */
const isInScalar = (code: number): boolean =>
  !isBlank(code) && code !== comma && code !== listEnd && code !== objectEnd && code !== quote;

const skipBlanks = (text: string, from: number): Steps<number> => skip(text, from, isBlank);

function* skip(text: string, from: number, isPassed: (code: number) => boolean): Steps<number> {
  let at = from;
  while (at < text.length && isPassed(text.charCodeAt(at))) {
    at += 1;
    if ((at - from) % pieceLength === 0) yield;
  }
  return at;
}

function parseShort(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
