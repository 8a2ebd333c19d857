import { transcriptLimits } from "./limits.ts";

export type Line = {
  /** `undefined` if the line is too long to read. */
  bytes: Buffer | undefined;
  /** The line number. The first line that was pushed is line 1. */
  number: number;
  /** The offset of the line from the first byte that was pushed. */
  start: number;
  /** The length of the line in bytes, without the line break. */
  length: number;
  /** True for a last line without a line break. */
  open: boolean;
};

const lineBreak = 0x0a;

/**
 * Splits a file that arrives in parts into lines. The bytes of a line are valid only until the next call.
 * Lines longer than the limit are skipped without being stored.
 */
export function createLineSplitter(take: (line: Line) => void, longest: number = transcriptLimits.lineBytes) {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let tooLong = false;
  let start = 0;
  let number = 0;

  function end(last: Buffer, open: boolean): void {
    const length = heldBytes + last.length;
    number += 1;
    const whole = held.length === 0 ? last : Buffer.concat([...held, last]);
    take({ bytes: tooLong || length > longest ? undefined : whole, number, start, length, open });
    start += length + 1;
    held = [];
    heldBytes = 0;
    tooLong = false;
  }

  return {
    /** True if the current line is already too long. The rest of that line is ignored. */
    get isPassingOver(): boolean {
      return tooLong;
    },
    push(piece: Buffer): void {
      let from = 0;
      for (let at = piece.indexOf(lineBreak); at !== -1; at = piece.indexOf(lineBreak, from)) {
        end(piece.subarray(from, at), false);
        from = at + 1;
      }
      const rest = piece.subarray(from);
      if (rest.length === 0) return;
      heldBytes += rest.length;
      if (heldBytes > longest) {
        tooLong = true;
        held = [];
      } else held.push(Buffer.from(rest));
    },
    /** Emits the last line if it has no line break. */
    finish(): void {
      if (heldBytes > 0) end(Buffer.alloc(0), true);
    },
  };
}

/** A JSON object from another program. Every field must be checked. */
export type JsonFields = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonFields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonFields)
    : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Reads an own property, never an inherited one. */
export function member(fields: JsonFields | undefined, name: string): unknown {
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function textOf(fields: JsonFields | undefined, name: string, max?: number): string | undefined {
  const value = member(fields, name);
  if (typeof value !== "string" || value === "") return undefined;
  return max === undefined || value.length <= max ? value : undefined;
}

export const objectOf = (fields: JsonFields | undefined, name: string): JsonFields | undefined =>
  asObject(member(fields, name));

const earliest = Date.UTC(2000, 0, 1);
const latest = Date.UTC(2100, 0, 1);

/** Returns a time in the ledger's format, or `undefined` if the value is not a plausible time. */
export function timeOf(fields: JsonFields | undefined, name: string): string | undefined {
  const time = Date.parse(textOf(fields, name, 64) ?? "");
  return time >= earliest && time <= latest ? new Date(time).toISOString() : undefined;
}
