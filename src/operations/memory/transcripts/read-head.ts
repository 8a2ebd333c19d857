import type { SessionFacts, TranscriptFormat } from "../../../domain/transcripts/entry.ts";
import { hintsOf, isWithin, type ProjectHint, sureHints } from "../../../domain/transcripts/project-hints.ts";
import { readTranscriptLine } from "../../../domain/transcripts/read-line.ts";
import { createLineSplitter, type Line } from "../../../domain/transcripts/split-lines.ts";
import type { OpenTranscript } from "../../../ports/transcript-files.ts";
import type { Settings } from "../../pipeline/context.ts";
import type { Scan } from "./scan.ts";

/** Enough for what programs write first, including instructions. */
const headBytes = 64 * 1024;
const headLines = 40;
/** A session may begin with an image. Then more is read, until a line identifies the program. */
const maxBytes = 1024 * 1024;
/** If the beginning does not identify it, the end may. */
const tailBytes = 256 * 1024;

export type TranscriptHead = {
  /** The part of the beginning that was read, at most a mebibyte. Its last line may be cut off. */
  bytes: Buffer;
  format: TranscriptFormat | undefined;
  session: SessionFacts;
  hints: readonly ProjectHint[];
};

/**
 * The beginning of a transcript: which session and project it belongs to. If the caller requested this file
 * (`thorough`), long lines are skipped until one shows it. If not, the last lines are read instead.
 */
export async function readHead(
  scan: Pick<Scan, "read">,
  file: OpenTranscript,
  { thorough = false } = {},
): Promise<TranscriptHead> {
  const pieces: Buffer[] = [];
  let length = 0;
  let lines = 0;
  let format: TranscriptFormat | undefined;
  const session: SessionFacts = {};
  const hints: ProjectHint[] = [];
  const look = (line: Line) => {
    const read = readTranscriptLine(line);
    format ??= read.format;
    for (const fact of ["id", "at", "cwd", "title", "parentId", "forkedFrom"] as const)
      session[fact] ??= read.session?.[fact];
    hints.push(...hintsOf(read));
  };
  const splitter = createLineSplitter((line) => {
    lines = line.number;
    if (line.number <= headLines) look(line);
  });
  const goesOn = () => format === undefined && (length < maxBytes || (thorough && lines < headLines));
  for (let wanted = headBytes; goesOn(); wanted = headBytes * 4) {
    const piece = await scan.read(file, length, wanted);
    if (piece.length === 0) break;
    splitter.push(piece);
    if (length < maxBytes) pieces.push(piece);
    length += piece.length;
  }
  // A file without a line break may still contain one complete line.
  if (length === file.bytes) splitter.finish();
  else if (format === undefined) await readTail(scan, file, look);
  return { bytes: Buffer.concat(pieces), format, session, hints };
}

async function readTail(
  scan: Pick<Scan, "read">,
  file: OpenTranscript,
  look: (line: Line) => void,
): Promise<void> {
  // A read from the middle starts with half a line.
  const splitter = createLineSplitter((line) => line.number > 1 && look(line));
  splitter.push(await scan.read(file, Math.max(0, file.bytes - tailBytes), tailBytes));
  splitter.finish();
}

/** With a lock, a mention of the project is not enough. */
export function belongsTo(
  { hints }: TranscriptHead,
  cwdPrefix: string | undefined,
  { projectLock }: Pick<Settings, "projectLock">,
): boolean {
  if (cwdPrefix === undefined) return true;
  return (projectLock ? sureHints(hints) : hints).some(({ path }) => isWithin(path, cwdPrefix));
}

/** The session as answers show it. */
export const describeSession = ({ id, at }: SessionFacts) => ({
  ...(id !== undefined && { id }),
  ...(at !== undefined && { ts: at }),
});
