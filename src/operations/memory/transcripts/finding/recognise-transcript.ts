import type { TranscriptFormat } from "../../../../domain/transcripts/entry.ts";
import { readTranscriptLine } from "../../../../domain/transcripts/read-line.ts";
import { createLineSplitter } from "../../../../domain/transcripts/split-lines.ts";

/** Which program wrote a transcript, by its first lines; `undefined` for anything else. */
export function recogniseTranscript(beginning: Buffer): TranscriptFormat | undefined {
  let format: TranscriptFormat | undefined;
  const splitter = createLineSplitter((line) => {
    format ??= readTranscriptLine(line).format;
  });
  splitter.push(beginning);
  splitter.finish();
  return format;
}
