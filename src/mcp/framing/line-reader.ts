import type { RequestId } from "@modelcontextprotocol/server";
import { maxMessageBytes } from "./error-answer.ts";
import { createTopLevelIdScanner, type TopLevelIdScanner } from "./message-check.ts";

export type IncomingLine = { line: Uint8Array } | { oversize: { id: RequestId | null; bytes: number } };

type LineReader = {
  /** The lines that this chunk completes, without their ends; blank ones are left out. */
  push(chunk: Uint8Array): IncomingLine[];
  /** The unfinished last line, if there is one. */
  end(): IncomingLine[];
};

const newline = 0x0a;
const carriageReturn = 0x0d;
const nothing = new Uint8Array(0);

/** A line beyond the limit is never held: it is scanned for its id as it arrives and reported at its end. */
export function createLineReader(limit: number = maxMessageBytes): LineReader {
  let held = nothing;
  let length = 0;
  let scanner: TopLevelIdScanner | undefined;

  function hold(bytes: Uint8Array): void {
    const before = length;
    length += bytes.length;
    if (length > limit && scanner === undefined) {
      scanner = createTopLevelIdScanner();
      scanner.feed(held.subarray(0, before));
      held = nothing;
    }
    if (scanner !== undefined) {
      scanner.feed(bytes);
      return;
    }
    if (length > held.length) held = grow(held, length, limit);
    held.set(bytes, before);
  }

  function takeLine(): IncomingLine[] {
    const bytes = length;
    const taken = scanner === undefined ? held.subarray(0, length) : scanner.id();
    held = nothing;
    length = 0;
    scanner = undefined;
    return taken instanceof Uint8Array ? toLine(taken) : [{ oversize: { id: taken, bytes } }];
  }

  function finishLine(rest: Uint8Array): IncomingLine[] {
    if (length === 0 && rest.length <= limit) return toLine(rest);
    hold(rest);
    return takeLine();
  }

  return {
    push(chunk) {
      const lines: IncomingLine[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        lines.push(...finishLine(chunk.subarray(start, end)));
        start = end + 1;
      }
      if (start < chunk.length) hold(chunk.subarray(start));
      return lines;
    },
    end: () => takeLine(),
  };
}

/** Doubling keeps the work proportional to the line, however small the chunks are. */
function grow(bytes: Uint8Array, needed: number, limit: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(Math.min(limit, Math.max(needed, 2 * bytes.length, 4096)));
  grown.set(bytes);
  return grown;
}

function toLine(bytes: Uint8Array): IncomingLine[] {
  const line = bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
  return line.every(isBlank) ? [] : [{ line }];
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === carriageReturn;
}
