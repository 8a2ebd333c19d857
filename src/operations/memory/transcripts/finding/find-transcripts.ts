import type { TranscriptFormat } from "../../../../domain/transcripts/entry.ts";
import { matchesProject } from "../../../../domain/transcripts/project-hints.ts";
import type { TranscriptFiles } from "../../../../ports/transcript-files.ts";
import type { BaseContext } from "../../../pipeline/context.ts";
import { readHead } from "../read-head.ts";
import { createScan } from "../scan.ts";
import { readLastTime } from "./read-last-time.ts";

type Wanted = {
  format: TranscriptFormat;
  /** With something said since. */
  since?: Date | undefined;
  /** A directory, or the name of one. */
  project?: string | undefined;
};

export type FoundTranscripts = {
  directory: string;
  /** The oldest first, as they happened. */
  files: { path: string; bytes: number }[];
};

/** The sessions that a program left behind. Threads of sub-agents come with the session that started them. */
export async function findTranscripts(
  transcripts: TranscriptFiles,
  { format, since, project }: Wanted,
  context: Pick<BaseContext, "clock" | "signal">,
): Promise<FoundTranscripts> {
  const known = transcripts.roots.find((root) => root.format === format);
  const root = known && (await transcripts.openRoot(known.directory));
  if (!root) return { directory: "", files: [] };
  const listing = await root.list();
  // A file is never older than what it says, but a copy of it may be younger.
  const recent = listing.files.filter(
    ({ path, modifiedMs }) => modifiedMs >= (since?.getTime() ?? 0) && !/(?:^|\/)agent-[^/]*$/.test(path),
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
