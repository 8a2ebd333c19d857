import { readTranscriptLine } from "../../../../domain/transcripts/read-line.ts";
import { createLineSplitter } from "../../../../domain/transcripts/split-lines.ts";
import type { OpenTranscript } from "../../../../ports/transcript-files.ts";
import type { Scan } from "../scan.ts";

/** Enough for the last lines of most transcripts; programs end with short ones. */
const tailBytes = 256 * 1024;

/** When the last thing was said, by the lines at the end of a transcript; where none says so, when it was written to. */
export async function readLastTime(scan: Pick<Scan, "read">, file: OpenTranscript): Promise<number> {
  let latest = Number.NEGATIVE_INFINITY;
  const splitter = createLineSplitter((line) => {
    const { entry, session } = readTranscriptLine(line);
    const at = Date.parse(entry?.at ?? session?.at ?? "");
    if (at > latest) latest = at;
  });
  splitter.push(await scan.read(file, Math.max(0, file.bytes - tailBytes), tailBytes));
  splitter.finish();
  return latest === Number.NEGATIVE_INFINITY ? file.modifiedMs : latest;
}
