import type { TranscriptFormat } from "../../../../domain/transcripts/entry.ts";
import { createLineSplitter } from "../../../../domain/transcripts/json-lines.ts";
import { matchesProject } from "../../../../domain/transcripts/project-hints.ts";
import { readTranscriptLine } from "../../../../domain/transcripts/read-line.ts";
import { isThreadPath } from "../../../../domain/transcripts/thread-layout.ts";
import type { OpenTranscript, TranscriptFiles } from "../../../../ports/transcript-files.ts";
import type { BaseContext } from "../../../pipeline/context.ts";
import { createScan, readHead, type Scan } from "../scan.ts";

type Wanted = {
  format: TranscriptFormat;
  /** If set, finds only sessions with a message since then. */
  since?: Date | undefined;
  /** The path or the name of a directory. */
  project?: string | undefined;
};

export type FoundTranscripts = {
  directory: string;
  files: { path: string; bytes: number }[];
};

/** The number of bytes to read from the end of a file, enough for the last lines of most transcripts. */
const tailBytes = 256 * 1024;

/** Reads the time from the last lines. If these lines contain no time, uses the file's modification time. */
async function readLastTime(scan: Pick<Scan, "read">, file: OpenTranscript): Promise<number> {
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

/** Finds transcripts, except threads of sub-agents, which are found through their parent session. */
export async function findTranscripts(
  transcripts: TranscriptFiles,
  { format, since, project }: Wanted,
  context: Pick<BaseContext, "clock" | "signal">,
): Promise<FoundTranscripts> {
  const known = transcripts.roots.find((root) => root.format === format);
  const root = known && (await transcripts.openRoot(known.directory));
  if (!root) return { directory: "", files: [] };
  const listing = await root.list();
  // A file cannot be older than its contents, but a copy can be newer.
  const recent = listing.files.filter(
    ({ path, modifiedMs }) => modifiedMs >= (since?.getTime() ?? 0) && !isThreadPath(path),
  );
  const scan = createScan(context, {
    maxFiles: Number.POSITIVE_INFINITY,
    maxBytes: Number.POSITIVE_INFINITY,
    maxMs: Number.POSITIVE_INFINITY,
  });
  const files: FoundTranscripts["files"] = [];
  await scan.each(root, { ...listing, files: recent }, async (file) => {
    const { format: seen, session, hints } = await readHead(scan, file);
    if (seen !== format || session.parentId !== undefined) return;
    if (since && (await readLastTime(scan, file)) < since.getTime()) return;
    if (project === undefined || matchesProject(hints, project))
      files.push({ path: file.path, bytes: file.bytes });
  });
  return { directory: root.directory, files: files.reverse() };
}

/** Recognises a transcript by its first lines. Returns `undefined` for any other file. */
export function recogniseTranscript(beginning: Buffer): TranscriptFormat | undefined {
  let format: TranscriptFormat | undefined;
  const splitter = createLineSplitter((line) => {
    format ??= readTranscriptLine(line).format;
  });
  splitter.push(beginning);
  splitter.finish();
  return format;
}
