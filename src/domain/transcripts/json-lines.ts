import { transcriptLimits } from "./limits.ts";

export type Line = {
  /** `undefined` if the line is too long to read. */
  bytes: Buffer | undefined;
  /** Counted from 1, and from the beginning of what was fed. */
  number: number;
  /** Where the line begins, counted from the beginning of what was fed. */
  start: number;
  /** In bytes, without the line break. */
  length: number;
  /** The last line, if no line break ends it. */
  open: boolean;
};

const lineBreak = 0x0a;

/**
 * Splits a file that arrives in pieces into lines. The bytes of a line are valid only until the next call. Lines above
 * the limit are skipped without being stored.
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
    /** The current line is already too long, so its remaining bytes are ignored. */
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
    /** The unterminated line. */
    finish(): void {
      if (heldBytes > 0) end(Buffer.alloc(0), true);
    },
  };
}
