import { createTally, type SessionFacts, type TranscriptFormat } from "../../../domain/transcripts/entry.ts";
import { createLineSplitter, type Line } from "../../../domain/transcripts/json-lines.ts";
import { transcriptLimits } from "../../../domain/transcripts/limits.ts";
import { hintsOf, isWithin, type ProjectHint, sureHints } from "../../../domain/transcripts/project-hints.ts";
import { readTranscriptLine } from "../../../domain/transcripts/read-line.ts";
import type { FileListing, OpenTranscript, TranscriptRoot } from "../../../ports/transcript-files.ts";
import type { BaseContext, Settings } from "../../pipeline/context.ts";

/** The size in bytes of a piece, which is processed without a pause. */
const pieceBytes = 256 * 1024;
const longestMs = 10_000;

type ScanBudget = {
  maxFiles: number;
  maxBytes: number;
  /** Default: ten seconds. */
  maxMs?: number;
  /** Receives the number of bytes read so far. */
  onRead?: (bytes: number) => void;
};

type StoppedBy = "bytes" | "files" | "time" | "hits";
export type Scan = ReturnType<typeof createScan>;

export function createScan(
  { clock, signal }: Pick<BaseContext, "clock" | "signal">,
  { maxFiles, maxBytes, maxMs = longestMs, onRead }: ScanBudget,
) {
  const skipped = createTally();
  const refused = createTally();
  const deadline = clock().getTime() + maxMs;
  let [files, bytes, shrunk] = [0, 0, 0];
  let stoppedBy: StoppedBy | undefined;
  let isDone = false;
  let leftEarly = false;

  /** Returns an empty buffer if the budget is spent. */
  async function read(file: OpenTranscript, offset: number, wanted = pieceBytes): Promise<Buffer> {
    signal.throwIfAborted();
    if (clock().getTime() > deadline) stoppedBy ??= "time";
    const length = Math.min(wanted, file.bytes - offset);
    const allowed = Math.min(length, maxBytes - bytes);
    if (allowed < length) stoppedBy ??= "bytes";
    if (stoppedBy === "time" || allowed <= 0) return Buffer.alloc(0);
    const piece = await file.read(offset, allowed);
    bytes += piece.length;
    onRead?.(bytes);
    return piece;
  }

  return {
    skipped,
    read,
    /**
     * Leaves most of the budget to other files: one file gets at most `most` bytes and a quarter of the remainder. A
     * file that needed more is counted as incomplete.
     */
    portion(most: number) {
      const fair = Math.ceil((maxBytes - bytes) / 4);
      let left = Math.min(most, fair);
      return {
        left: () => left,
        cutShort(): void {
          if (fair < most) leftEarly = true;
        },
        async read(file: OpenTranscript, offset: number, wanted = pieceBytes): Promise<Buffer> {
          const asked = Math.min(wanted, file.bytes - offset);
          if (asked > left) this.cutShort();
          const piece =
            left <= 0 || asked <= 0 ? Buffer.alloc(0) : await read(file, offset, Math.min(asked, left));
          left -= piece.length;
          return piece;
        },
      };
    },
    /** Reads the files in order, until the budget is spent. */
    async each(
      root: TranscriptRoot,
      listing: FileListing,
      work: (file: OpenTranscript) => Promise<void>,
    ): Promise<void> {
      refused.addAll(listing.refused);
      if (listing.truncated) stoppedBy ??= "files";
      for (const { path } of listing.files) {
        if (isDone || stoppedBy === "bytes" || stoppedBy === "time") return;
        if (files >= maxFiles) {
          stoppedBy ??= "files";
          return;
        }
        const file = await root.open(path);
        if ("refused" in file) {
          refused.add(file.refused);
          continue;
        }
        files += 1;
        try {
          await work(file);
        } finally {
          await file.close();
        }
      }
    },
    /**
     * Reads lines. Stops early while skipping an overlong line if the rest of the file exceeds the remaining
     * budget. `first` is the part already read. Returns true if the end was reached.
     */
    async lines(
      file: OpenTranscript,
      { from = 0, first = Buffer.alloc(0) }: { from?: number; first?: Buffer },
      take: (line: Line) => void,
    ): Promise<boolean> {
      const splitter = createLineSplitter(
        (line) => take({ ...line, start: line.start + from }),
        Math.min(transcriptLimits.lineBytes, maxBytes / 2),
      );
      splitter.push(first);
      let offset = from + first.length;
      while (offset < file.bytes && !isDone) {
        if (splitter.isPassingOver && file.bytes - offset > maxBytes - bytes) {
          leftEarly = true;
          return false;
        }
        const piece = await read(file, offset);
        if (piece.length === 0) {
          if (stoppedBy === undefined) shrunk += 1;
          return false;
        }
        splitter.push(piece);
        offset += piece.length;
      }
      if (isDone) return false;
      splitter.finish();
      return true;
    },
    /** Ends the scan early, because enough was found. */
    stop(): void {
      isDone = true;
      stoppedBy ??= "hits";
    },
    account: () => ({
      files,
      bytes,
      truncated: shrunk > 0 || leftEarly || (stoppedBy !== undefined && stoppedBy !== "hits"),
      ...((stoppedBy || leftEarly) && { stopped_by: stoppedBy ?? ("bytes" as const) }),
      skipped: skipped.counts(),
      refused: refused.counts(),
    }),
  };
}

/** The number of bytes to read first: enough for a transcript's first lines, including instructions. */
const headBytes = 64 * 1024;
const headLines = 40;
/** The maximum number of bytes to read to identify the program if a session begins with an image. */
const longestHead = 1024 * 1024;
/** The number of bytes to read from the end if the beginning does not identify the program. */
const tailBytes = 256 * 1024;

export type TranscriptHead = {
  /** At most a mebibyte. The last line may be cut off. */
  bytes: Buffer;
  format: TranscriptFormat | undefined;
  session: SessionFacts;
  hints: readonly ProjectHint[];
};

/**
 * Finds the session and project of a transcript in its first lines. If the first `longestHead` bytes do not identify
 * the program, reads the last lines. `thorough`: the caller requested this file, so first reads up to `headLines` lines
 * of any length.
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
  const goesOn = () => format === undefined && (length < longestHead || (thorough && lines < headLines));
  for (let wanted = headBytes; goesOn(); wanted = headBytes * 4) {
    const piece = await scan.read(file, length, wanted);
    if (piece.length === 0) break;
    splitter.push(piece);
    if (length < longestHead) pieces.push(piece);
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
  // A read from the middle starts with a partial line.
  const splitter = createLineSplitter((line) => line.number > 1 && look(line));
  splitter.push(await scan.read(file, Math.max(0, file.bytes - tailBytes), tailBytes));
  splitter.finish();
}

/** True if a path in the transcript is within `cwdPrefix`. A project lock requires more than a mention. */
export function belongsTo(
  { hints }: TranscriptHead,
  cwdPrefix: string | undefined,
  { projectLock }: Pick<Settings, "projectLock">,
): boolean {
  if (cwdPrefix === undefined) return true;
  return (projectLock ? sureHints(hints) : hints).some(({ path }) => isWithin(path, cwdPrefix));
}

export const describeSession = ({ id, at }: SessionFacts) => ({
  ...(id !== undefined && { id }),
  ...(at !== undefined && { ts: at }),
});
