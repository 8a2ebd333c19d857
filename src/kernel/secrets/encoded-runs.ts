import type { Secret } from "./secrets.ts";

const base64Run = /[A-Za-z0-9+/_-]{24,}={0,2}/g;
/** The last line of a block can be too short to count as a run. */
const lastLine = /(?:\r?\n|\\r?\\n)[ \t]{0,40}([A-Za-z0-9+/_-]{1,23}={0,2})(?=[ \t]*(?:[\r\n"'`,\\]|$))/y;
const lineBreak = /^\r?\n[ \t>|]{0,40}$/;
/** The shortest full line in a block. `base64`, `openssl` and `xxd` break lines at 60 to 76 characters. */
const shortestLine = 60;
const hexadecimal = /^(?:0x)?(?:[0-9a-f]{2}){20,}$/i;
const text = /^[\t\n\r -~\x80-\xff]+$/;
const firstLetters = 8;
const chunkLetters = 65_536;
/** How many digits of the next chunk are decoded with each chunk, in case a secret continues there. */
const overlapLetters = 4_096;

/** One line of base64 or hexadecimal digits, or a block of such lines with the same width. */
type Run = { start: number; end: number; letters: string; width: number; lastWidth: number };

/**
 * Finds base64 and hexadecimal digits that encode text with a secret, such as a whole key file. `find` searches the
 * decoded text and returns the kind of its first secret.
 */
export function findEncoded(stored: string, find: (plain: string) => string | undefined): Secret[] {
  if (stored.search(base64Run) === -1) return [];
  return joinLines(stored).flatMap(({ start, end, letters }) => {
    const kind = decodeInChunks(letters, find);
    return kind === undefined ? [] : [{ kind, start, end }];
  });
}

function joinLines(stored: string): Run[] {
  const runs: Run[] = [];
  for (const { 0: run, index: start } of stored.matchAll(base64Run)) {
    const end = start + run.length;
    const before = runs.at(-1);
    const next = before && continues(before, stored.slice(before.end, start), run);
    if (before && next !== undefined)
      Object.assign(before, { end, letters: before.letters + next, lastWidth: next.length });
    else runs.push({ start, end, letters: run, width: run.length, lastWidth: run.length });
  }
  for (const run of runs.filter(isFull)) {
    lastLine.lastIndex = run.end;
    const tail = lastLine.exec(stored);
    if (tail) Object.assign(run, { end: lastLine.lastIndex, letters: run.letters + tail[1] });
  }
  return runs;
}

const isFull = ({ width, lastWidth }: Run): boolean => width >= shortestLine && lastWidth === width;

/** Returns the digits in a block's next line. In JSON that was pasted as text, `\n` separates the lines. */
function continues(before: Run, between: string, run: string): string | undefined {
  if (!isFull(before)) return undefined;
  const next = between === "\\" && run.startsWith("n") ? run.slice(1) : run;
  const isBreak = next !== run || (between.length <= 42 && lineBreak.test(between));
  return isBreak && next.length <= before.width ? next : undefined;
}

function decodeInChunks(run: string, find: (plain: string) => string | undefined): string | undefined {
  const decode = hexadecimal.test(run) ? fromHexadecimal : fromBase64;
  const letters = run.replace(decode === fromBase64 ? /=+$/ : /^0x/i, "");
  // The first bytes of most identifiers already show that the identifier does not encode text.
  const first = toText(decode(letters.slice(0, firstLetters)));
  if (first === undefined || !text.test(first)) return undefined;
  for (let at = 0; at < letters.length; at += chunkLetters) {
    const plain = toText(decode(letters.slice(at, at + chunkLetters + overlapLetters)));
    const kind = plain !== undefined && text.test(plain) ? find(plain) : undefined;
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** Returns the bytes as text, or `undefined` for binary data. Also decodes UTF-16, which Windows uses. */
const toText = (bytes: string): string | undefined =>
  bytes.includes("\0") ? (/^(?:[^\0]\0)+$/.test(bytes) ? bytes.replaceAll("\0", "") : undefined) : bytes;

/** If the last group of four has only one digit, drops the digit, because it encodes nothing. */
export function fromBase64(letters: string): string {
  const standard = letters.replaceAll("=", "").replaceAll("-", "+").replaceAll("_", "/");
  return atob(standard.length % 4 === 1 ? standard.slice(0, -1) : standard);
}

function fromHexadecimal(digits: string): string {
  return digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}
