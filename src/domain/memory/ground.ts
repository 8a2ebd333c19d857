import { sha256Hex } from "../../kernel/sha256.ts";
import { splitText } from "../actions/action.ts";
import type { Meta } from "./entry.ts";

/** What a card pins in a file: its content when the card was written, or that of some of its lines. */
export type Pin = {
  path: string;
  /** `10-20`, or one number. Omit for the whole file. */
  lines?: string | undefined;
  /** Git's hashes of the content, in the work tree and at HEAD. */
  blobs: readonly string[];
  /** For the lines: how many, a hash of the first one and a hash of all, ignoring trailing white space. */
  range?: { count: number; first: string; all: string } | undefined;
};

/** `moved`: the pinned text is different now. `unknown`: there is no repository to compare with. */
export type GroundState = "holds" | "moved" | "unknown";

/** Cards with pins have this tag, so that a store can find them. */
export const groundTag = "ground";

const hashOf = (lines: readonly string[]): string =>
  sha256Hex(lines.map((line) => line.trimEnd()).join("\n")).slice(0, 16);

/** `undefined` if the file has no such lines. */
export function pinRange(text: string, lines: string): Pin["range"] {
  const [from = 0, to = from] = lines.split("-").map(Number);
  const pinned = splitText(text).slice(from - 1, to);
  if (from < 1 || to < from || pinned.length !== to - from + 1) return undefined;
  return { count: pinned.length, first: hashOf(pinned.slice(0, 1)), all: hashOf(pinned) };
}

/** Lines that only moved up or down are the same text. */
export function containsRange(text: string, { count, first, all }: NonNullable<Pin["range"]>): boolean {
  const lines = splitText(text);
  return lines.some(
    (line, at) =>
      at + count <= lines.length &&
      hashOf([line]) === first &&
      (count === 1 || hashOf(lines.slice(at, at + count)) === all),
  );
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

function toPin(value: unknown): Pin[] {
  const { path, lines, blobs, range } = (value ?? {}) as Record<string, unknown>;
  if (!isText(path) || !Array.isArray(blobs) || !blobs.every(isText)) return [];
  const { count, first, all } = (range ?? {}) as Record<string, unknown>;
  const isRange = typeof count === "number" && isText(first) && isText(all);
  return [{ path, blobs, ...(isText(lines) && { lines }), ...(isRange && { range: { count, first, all } }) }];
}

/** The pins of a card, in whichever form they were written. */
export function pinsOf(meta: Meta | undefined): Pin[] {
  const listed = ["ground", "decision"].flatMap((name) => {
    const files = (meta?.[name] as Record<string, unknown> | undefined)?.["files"];
    return Array.isArray(files) ? files : [];
  });
  return listed.flatMap(toPin);
}

/** The worst of several: moved is worse than unknown. */
export function worstGround(states: readonly GroundState[]): GroundState | undefined {
  return (["moved", "unknown", "holds"] as const).find((state) => states.includes(state));
}

/** What matters about a card that others rely on. */
export type Footing = {
  id: string;
  title?: string | undefined;
  type: string;
  status?: string | undefined;
  pins: readonly Pin[];
  /** Keys of what it relies on itself. */
  restsOn: readonly string[];
};

/** A card and everything it relies on, directly or indirectly. Each once, nearest first. */
export function footingOf(key: string, known: ReadonlyMap<string, Footing>): Footing[] {
  const seen = new Set([key]);
  for (const at of seen) for (const next of known.get(at)?.restsOn ?? []) seen.add(next);
  return [...seen].flatMap((at) => known.get(at) ?? []);
}
