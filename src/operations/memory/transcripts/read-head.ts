import type { SessionFacts, TranscriptFormat } from "../../../domain/transcripts/entry.ts";
import { transcriptLimits } from "../../../domain/transcripts/limits.ts";
import { hintsOf, isWithin, type ProjectHint, sureHints } from "../../../domain/transcripts/project-hints.ts";
import { readTranscriptLine } from "../../../domain/transcripts/read-line.ts";
import { createLineSplitter } from "../../../domain/transcripts/split-lines.ts";
import type { OpenTranscript } from "../../../ports/transcript-files.ts";
import type { Settings } from "../../pipeline/context.ts";
import type { Scan } from "./scan.ts";

/** Enough for what programs write first, instructions included. */
const headBytes = 64 * 1024;
const headLines = 40;
/** A session may begin with an image: then more is read, until a line says which program wrote it. */
const maxBytes = 1024 * 1024;

/** For who asked for this very transcript: the longest line that is read at all, and the next. */
export const wholeLine = transcriptLimits.lineBytes + maxBytes;

export type TranscriptHead = {
  /** What was read; a line at its end may be cut off. */
  bytes: Buffer;
  format: TranscriptFormat | undefined;
  session: SessionFacts;
  hints: readonly ProjectHint[];
};

/** The beginning of a transcript: whose session it is, and of which project. */
export async function readHead(
  scan: Pick<Scan, "read">,
  file: OpenTranscript,
  upTo: number = maxBytes,
): Promise<TranscriptHead> {
  const pieces: Buffer[] = [];
  let length = 0;
  let format: TranscriptFormat | undefined;
  const session: SessionFacts = {};
  const hints: ProjectHint[] = [];
  const splitter = createLineSplitter((line) => {
    if (line.number > headLines) return;
    const read = readTranscriptLine(line);
    format ??= read.format;
    for (const fact of ["id", "at", "cwd", "title", "parentId"] as const)
      session[fact] ??= read.session?.[fact];
    hints.push(...hintsOf(read));
  });
  for (let wanted = headBytes; format === undefined && length < upTo; wanted = headBytes * 4) {
    const piece = await scan.read(file, length, wanted);
    if (piece.length === 0) break;
    splitter.push(piece);
    pieces.push(piece);
    length += piece.length;
  }
  // A file without a line break may still hold one whole line.
  if (length === file.bytes) splitter.finish();
  return { bytes: Buffer.concat(pieces), format, session, hints };
}

/** Under a lock a mention of the project is not enough. */
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
