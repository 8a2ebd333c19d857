import { cleanText } from "../../../domain/transcripts/clean-text.ts";
import {
  type Block,
  createTally,
  type Tally,
  type TranscriptEntry,
} from "../../../domain/transcripts/entry.ts";
import type { Line } from "../../../domain/transcripts/json-lines.ts";
import { readTranscriptLine } from "../../../domain/transcripts/read-line.ts";
import type { OpenTranscript } from "../../../ports/transcript-files.ts";
import type { Scan } from "./scan.ts";

/** The line number is known only if the file was read from the beginning. */
type Position = { line?: number; byte: number };

type WindowEntry = {
  ref: Position;
  role: string;
  kind: string;
  ts?: string;
  text: string;
};

type Wanted = { line?: number | undefined; byte?: number | undefined; before: number; after: number };
type Window = { ref: Position; entries: WindowEntry[]; skipped: Tally };

/** How many bytes to read backwards to find the lines before a byte. */
const backBytes = 8 * 1024 * 1024;
/** The maximum total bytes of the neighbouring lines. Lines beyond it are dropped. */
const heldMost = 32 * 1024 * 1024;
/** The maximum number of characters to show of the requested line, and of each neighbouring line. */
const longest = { wanted: 60_000, around: 1_500 };

/** Reads a line and its neighbours. If the line does not exist, returns the start of a sentence about it. */
export async function readWindow(
  scan: Scan,
  file: OpenTranscript,
  { line, byte, before, after }: Wanted,
): Promise<Window | string> {
  const held: Line[] = [];
  let heldBytes = 0;
  let found: Line | undefined;
  let rest = after;
  const from = byte === undefined ? 0 : Math.max(0, byte - (before === 0 ? 0 : backBytes));
  // A read from the middle starts with a partial line.
  const isWhole = ({ start }: Line) => from === 0 || start > from || start === byte;

  await scan.lines(file, { from }, (each) => {
    if (!isWhole(each) || (found && rest <= 0)) return;
    const isIt = byte === undefined ? each.number === line : each.start === byte;
    if (found) rest -= 1;
    if (isIt) found = each;
    if (!found && before === 0) return;
    held.push({ ...each, bytes: each.bytes && Buffer.from(each.bytes) });
    heldBytes += each.bytes?.length ?? 0;
    while (!found && (held.length > before || heldBytes > heldMost))
      heldBytes -= held.shift()?.bytes?.length ?? 0;
    if (found && heldBytes > 2 * heldMost) rest = 0;
    if (found && rest <= 0) scan.stop();
  });
  if (!found) return byte === undefined ? `There is no line ${line}` : `No line begins at byte ${byte}`;
  const skipped = createTally();
  const wanted = found.start;
  const entries = held.flatMap((each) => {
    const read = readTranscriptLine(each);
    if (read.skipped !== undefined) skipped.add(read.skipped);
    const max = each.start === wanted ? longest.wanted : longest.around;
    return read.entry ? show(read.entry, positionOf(each, from), max) : [];
  });
  return { ref: positionOf(found, from), entries, skipped: skipped.counts() };
}

const positionOf = ({ number, start }: Line, from: number): Position => ({
  ...(from === 0 && { line: number }),
  byte: start,
});

function show({ blocks, role, at }: TranscriptEntry, ref: Position, max: number): WindowEntry[] {
  return blocks.map((block) => ({
    ref,
    role,
    kind: block.type === "tool_result" && block.failed ? "tool_error" : block.type,
    ...(at !== undefined && { ts: at }),
    text: cleanText(textOf(block), max),
  }));
}

const textOf = (block: Block): string => (block.type === "tool_call" ? block.command : block.text);
