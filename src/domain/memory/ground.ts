import { clipWhole } from "../../kernel/secrets/secrets-policy.ts";
import { sha256Hex } from "../../kernel/sha256.ts";
import { splitText } from "../actions/action.ts";
import { wordsOf } from "../why/reason-words.ts";
import type { Meta } from "./entry.ts";

/** Identifies the content that a file, or some of its lines, had when a card was written. */
export type Pin = {
  path: string;
  /** A range such as `10-20`, or one line number. Omit for the whole file. */
  lines?: string | undefined;
  /** Git's hashes of the content, in the work tree and at HEAD. */
  blobs: readonly string[];
  /** The number of lines, a hash of the first line and a hash of all lines. The hashes ignore trailing white space. */
  range?: { count: number; first: string; all: string } | undefined;
};

/** `moved`: the pinned text has changed. `unknown`: there is no repository to compare with. */
export type GroundState = "holds" | "moved" | "unknown";

/** Marks cards with pins, so that a store can find these cards. */
export const groundTag = "ground";

const hashOf = (lines: readonly string[]): string =>
  sha256Hex(lines.map((line) => line.trimEnd()).join("\n")).slice(0, 16);

/** Returns the line count and hashes of the lines, or `undefined` if the file has no such lines. */
export const pinRange = (text: string, lines: string): Pin["range"] => rangeOf(splitText(text), lines);

/** Returns the numbers of the first and last line, counted from 1. */
const boundsOf = (lines = ""): readonly [number, number] => {
  const [from = 0, to = from] = lines.split("-").map(Number);
  return [from, to];
};

function rangeOf(text: readonly string[], lines: string): Pin["range"] {
  const [from, to] = boundsOf(lines);
  const pinned = text.slice(from - 1, to);
  if (from < 1 || to < from || pinned.length !== to - from + 1) return undefined;
  return { count: pinned.length, first: hashOf(pinned.slice(0, 1)), all: hashOf(pinned) };
}

/** `now` describes the line that replaced the first changed line. */
export type ComparedPin = { state: GroundState; now?: string };

/**
 * Compares a pin with the text of its file at HEAD. `pinned` contains the texts of the pin's blobs, as far as
 * git still has them.
 */
export function comparePin(pin: Pin, text: string, pinned: readonly string[]): ComparedPin {
  const { lines = "", range } = pin;
  if (!range) return { state: "moved" };
  const now = splitText(text);
  const before = pinned.map(splitText).find((one) => rangeOf(one, lines)?.all === range.all);
  const [from, to] = boundsOf(lines);
  const isThere = before ? containsLines(now, before.slice(from - 1, to)) : containsRange(now, range);
  return isThere ? { state: "holds" } : { state: "moved", now: describeNow(pin, before, now) };
}

/** True if the text contains the lines, even if they moved up or down. */
function containsLines(lines: readonly string[], wanted: readonly string[]): boolean {
  const isSame = (one = "", other = "") => one.trimEnd() === other.trimEnd();
  return lines.some(
    (_, at) => at + wanted.length <= lines.length && wanted.every((line, n) => isSame(line, lines[at + n])),
  );
}

/** Like `containsLines`, but compares hashes. Used only if git no longer has the pinned text. */
function containsRange(lines: readonly string[], { count, first, all }: NonNullable<Pin["range"]>): boolean {
  return lines.some(
    (line, at) =>
      at + count <= lines.length &&
      hashOf([line]) === first &&
      (count === 1 || hashOf(lines.slice(at, at + count)) === all),
  );
}

const longestLine = 120;
const flatten = (line: string): string => line.trim().replaceAll(/\s+/g, " ");

/**
 * Describes the first pinned line that changed, as it is at HEAD. Searches between the nearest preceding and
 * following lines that occur exactly once in both texts. `before` is the pinned text, if git still has it.
 */
function describeNow(pin: Pin, before: readonly string[] | undefined, lines: readonly string[]): string {
  const [from, to] = boundsOf(pin.lines);
  const at = before === undefined ? from - 1 : findSuccessor(before, lines, from - 1, to);
  const line = flatten(lines[at] ?? "");
  if (!line) return `${pin.path}:${pin.lines} is gone`;
  const cut = line.length <= longestLine ? line : `${clipWhole(line, longestLine - 1)}…`;
  return `${pin.path}:${at + 1} is now: ${cut}`;
}

/** Returns the path in a text from `describeNow`, or `undefined` if the text quotes no line. */
export const fileOfNow = (text: string): string | undefined => nowForm.exec(text)?.[1];
const nowForm = /^(.+):(\d+) is now: (.+)$/s;

/** Finds the line that a text from `describeNow` quotes. The file may have changed since then. */
export function findNow(text: string, lines: readonly string[]): number | undefined {
  const [, , number, shown = ""] = nowForm.exec(text) ?? [];
  const whole = shown.replace(/…$/u, "");
  const found = lines.flatMap((line, at) => (flatten(line).startsWith(whole) ? [at + 1] : []));
  return found.toSorted((a, b) => Math.abs(a - Number(number)) - Math.abs(b - Number(number)))[0];
}

/** The maximum number of pinned lines, and of current lines, to compare. */
const [mostPinned, mostCandidates] = [20, 400];

/** Returns the index of the line that replaced the first changed line of `old[from..to)`, or -1. */
function findSuccessor(old: readonly string[], now: readonly string[], from: number, to: number): number {
  const [before, after] = [placesOf(old), placesOf(now)];
  const placeOf = (line = ""): number =>
    before.get(line.trim()) === -1 ? -1 : (after.get(line.trim()) ?? -1);
  const above = old.slice(0, from).findLast((line) => placeOf(line) >= 0);
  const below = old.slice(to).find((line) => placeOf(line) >= 0);
  const start = placeOf(above) + 1;
  const end = Math.min(below === undefined ? now.length : placeOf(below), start + mostCandidates);
  const candidates = now.slice(start, end).map(wordsOf);
  for (const line of old.slice(from, to).slice(0, mostPinned)) {
    if (after.has(line.trim())) continue;
    const words = [...wordsOf(line)];
    const shared = candidates.map((found) => words.filter((word) => found.has(word)).length);
    const most = Math.max(0, ...shared);
    if (most > 0) return start + shared.indexOf(most);
  }
  return -1;
}

/** Maps each line to its index. Blank lines and lines that occur more than once map to -1. */
function placesOf(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map([["", -1]]);
  for (const [at, line] of lines.entries()) places.set(line.trim(), places.has(line.trim()) ? -1 : at);
  return places;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function toPin(value: unknown): Pin[] {
  const { path, lines, blobs, range } = (value ?? {}) as Record<string, unknown>;
  if (!isText(path) || !Array.isArray(blobs) || !blobs.every(isText)) return [];
  const { count, first, all } = (range ?? {}) as Record<string, unknown>;
  const isRange = typeof count === "number" && isText(first) && isText(all);
  return [{ path, blobs, ...(isText(lines) && { lines }), ...(isRange && { range: { count, first, all } }) }];
}

/** Reads pins in the current and in the older form. */
export function pinsOf(meta: Meta | undefined): Pin[] {
  const listed = ["ground", "decision"].flatMap((name) => {
    const files = (meta?.[name] as Record<string, unknown> | undefined)?.["files"];
    return Array.isArray(files) ? files : [];
  });
  return listed.flatMap(toPin);
}

export function worstGround(states: readonly GroundState[]): GroundState | undefined {
  return (["moved", "unknown", "holds"] as const).find((state) => states.includes(state));
}

/** A card that other cards rely on. */
export type Footing = {
  id: string;
  title?: string | undefined;
  type: string;
  status?: string | undefined;
  pins: readonly Pin[];
  /** Keys of the cards that this card directly relies on. */
  restsOn: readonly string[];
};

/** Returns a card and all cards that it relies on, directly or indirectly, nearest first. */
export function footingOf(key: string, known: ReadonlyMap<string, Footing>): Footing[] {
  const seen = new Set([key]);
  for (const at of seen) for (const next of known.get(at)?.restsOn ?? []) seen.add(next);
  return [...seen].flatMap((at) => known.get(at) ?? []);
}
