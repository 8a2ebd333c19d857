import { cutLongStrings } from "./cut-long-strings.ts";
import type { TranscriptLine } from "./entry.ts";
import { asObject } from "./json-fields.ts";
import { transcriptLimits } from "./limits.ts";
import { isClaudeCode, readClaudeCode } from "./read-claude-code.ts";
import { readCodex } from "./read-codex.ts";
import type { Line } from "./split-lines.ts";

/** One line of a transcript. Whatever is wrong with it is counted, and the next one is read. */
export function readTranscriptLine({ bytes, open }: Pick<Line, "bytes" | "open">): TranscriptLine {
  if (bytes === undefined) return { skipped: "too_long" };
  if (isBlank(bytes)) return {};
  const short = bytes.length <= transcriptLimits.wholeLineBytes ? bytes : cutLongStrings(bytes);
  if (short === undefined) return { skipped: "too_long" };
  const fields = parseLine(short);
  if (fields === undefined) return { skipped: open ? "incomplete" : "malformed" };
  return isClaudeCode(fields) ? readClaudeCode(fields) : readCodex(fields);
}

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
