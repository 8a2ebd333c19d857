import type { TranscriptLine } from "./entry.ts";
import { asObject, type JsonFields, type Line } from "./json-lines.ts";
import { transcriptLimits } from "./limits.ts";
import { isClaudeCode, readClaudeCode } from "./read-claude-code.ts";
import { readCodex } from "./read-codex.ts";
import { isCopilotCli, readCopilotCli } from "./read-copilot-cli.ts";
import { isGeminiCli, readGeminiCli } from "./read-gemini-cli.ts";
import { isOpencode, readOpencode } from "./read-opencode.ts";
import { isQwenCode, readQwenCode } from "./read-qwen-code.ts";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;

/** Fields used to create thoughts and edits. Any other long text is an output, an image or a signature. */
const readWhole = new Set([
  ...["text", "thinking", "message", "summary", "instructions", "content"],
  ...["input", "arguments", "description", "reasoningText"],
  ...["fileDiff", "diff", "detailedContent"],
]);

/** The depth of a message's `content`. The `content` of a tool result is nested deeper. */
const messageDepth = 2;
const inputs = new Set(["input", "args", "arguments"]);
const copies = "toolUseResult";

const cutMark = Buffer.from(" […] ");

/**
 * Removes the middle of long strings in JSON, so that megabytes of output need not be parsed. Errors inside a
 * removed part go unnoticed. Returns `undefined` if the rest still has too many bytes or values.
 */
export function cutLongStrings(json: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  let kept = 0;
  let cutBytes = 0;
  let marks = 0;
  let depth = 0;
  let inCopy = false;
  /** The depth at which a call's input begins. Infinity outside a call's input. */
  let inputDepth = Number.POSITIVE_INFINITY;
  let key = "";
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      if (depth < inputDepth) inputDepth = Number.POSITIVE_INFINITY;
    } else if (byte !== quote && byte !== comma) continue;
    marks += 1;
    if (marks > transcriptLimits.parsedMarks) return undefined;
    if (byte !== quote) continue;
    const end = closingQuote(json, at);
    if (end === -1) break;
    if (json[skipSpace(json, end + 1)] === colon) {
      // Reads only the start of a key. Relevant keys are short, and a hostile key could be very long.
      key = json.toString("latin1", at + 1, Math.min(end, at + 20));
      if (depth === 1) inCopy = key === copies;
      if (depth < inputDepth) inputDepth = inputs.has(key) ? depth + 1 : Number.POSITIVE_INFINITY;
    } else {
      const isWhole = depth >= inputDepth || isReadWhole(key, depth);
      const cut = findCut(json, at + 1, end, !inCopy && isWhole ? texts : outputs);
      if (cut) {
        pieces.push(json.subarray(kept, cut.from), cutMark);
        kept = cut.to;
        cutBytes += cut.to - cut.from;
      }
    }
    at = end;
  }
  if (json.length - cutBytes > transcriptLimits.parsedBytes) return undefined;
  return pieces.length === 0 ? json : Buffer.concat([...pieces, json.subarray(kept)]);
}

type Kept = { head: number; tail: number };

const outputs: Kept = { head: transcriptLimits.outputHeadBytes, tail: transcriptLimits.outputTailBytes };
const texts: Kept = { head: transcriptLimits.textHeadBytes, tail: transcriptLimits.textTailBytes };

function isReadWhole(key: string, depth: number): boolean {
  return readWhole.has(key) && (key !== "content" || depth <= messageDepth);
}

function closingQuote(json: Buffer, opening: number): number {
  let at = json.indexOf(quote, opening + 1);
  while (at !== -1 && isEscaped(json, at, opening)) at = json.indexOf(quote, at + 1);
  return at;
}

function isEscaped(json: Buffer, at: number, opening: number): boolean {
  let before = at - 1;
  while (before > opening && json[before] === backslash) before -= 1;
  return (at - 1 - before) % 2 === 1;
}

function skipSpace(json: Buffer, from: number): number {
  let at = from;
  while (json[at] === 0x20 || json[at] === 0x09) at += 1;
  return at;
}

/** Finds the part of a string to remove. `undefined` if the string cannot be shortened cleanly. */
function findCut(
  json: Buffer,
  start: number,
  end: number,
  { head, tail }: Kept,
): { from: number; to: number } | undefined {
  if (end - start < head + tail + worthCutting) return undefined;
  const from = findPlace(json, start + head, -1);
  const to = findPlace(json, end - tail, 1);
  return from === undefined || to === undefined ? undefined : { from, to };
}

const worthCutting = 200;
const longestEscape = 6;
const farthest = 64;

/** Finds the nearest position that is not inside an escape sequence or a character. */
function findPlace(json: Buffer, wanted: number, step: 1 | -1): number | undefined {
  for (let moved = 0; moved <= farthest; moved += 1) {
    const at = wanted + moved * step;
    const isContinuation = ((json[at] ?? 0) & 0xc0) === 0x80;
    if (!isContinuation && !json.subarray(at - longestEscape, at).includes(backslash)) return at;
  }
  return undefined;
}

/** Reads one line of a transcript. Errors are counted, and reading continues. */
export function readTranscriptLine({ bytes, open }: Pick<Line, "bytes" | "open">): TranscriptLine {
  if (bytes === undefined) return { skipped: "too_long" };
  if (isBlank(bytes)) return {};
  const short = bytes.length <= transcriptLimits.wholeLineBytes ? bytes : cutLongStrings(bytes);
  if (short === undefined) return { skipped: "too_long" };
  const fields = parseLine(short);
  if (fields === undefined) return { skipped: open ? "incomplete" : "malformed" };
  const reader = readers.find(({ is }) => is(fields));
  return reader ? reader.read(fields) : readCodex(fields);
}

type Reader = { is(fields: JsonFields): boolean; read(fields: JsonFields): TranscriptLine };

/** Checks for Qwen Code before Claude Code, because both use the same wrapper. Falls back to Codex. */
const readers: readonly Reader[] = [
  { is: isOpencode, read: readOpencode },
  { is: isQwenCode, read: readQwenCode },
  { is: isCopilotCli, read: readCopilotCli },
  { is: isGeminiCli, read: readGeminiCli },
  { is: isClaudeCode, read: readClaudeCode },
];

function parseLine(bytes: Buffer) {
  try {
    return asObject(JSON.parse(bytes.toString("utf8")));
  } catch {
    return undefined;
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.length === 0 || (bytes.length < 16 && bytes.toString("latin1").trim() === "");
}
