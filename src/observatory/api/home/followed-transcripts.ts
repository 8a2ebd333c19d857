import { clientTitles, transcriptClients } from "../../../kernel/client-names.ts";
import { clip } from "../../../kernel/text.ts";
import type { Capture, CapturedFile } from "../../../ports/capture.ts";
import type { FollowedTranscripts } from "../../wire-home.ts";
import type { SessionSource } from "../session-answers.ts";

export type TranscriptSource = Pick<SessionSource, "mask" | "readSession"> & {
  capture: Pick<Capture, "state" | "list">;
  /** True if sessions and notebooks in this project are shown. */
  isShown(project: string): boolean;
};

/** Looks at more files than it shows, because some may belong to projects that are not shown here. */
const [filesLookedAt, filesShown, longestProblem] = [50, 6, 200];

/**
 * Returns the transcripts that are being followed. Each transcript is named by its project and program, never
 * by its path.
 */
export async function readFollowed(
  source: TranscriptSource,
  project: string | undefined,
): Promise<FollowedTranscripts> {
  const { files, total } = await source.capture.list(filesLookedAt);
  const isWanted = (file: CapturedFile) =>
    file.project === undefined
      ? project === undefined && source.isShown("*")
      : source.isShown(file.project) && (project === undefined || project === file.project);
  const wanted = files.filter(isWanted);
  const shown = wanted.slice(0, filesShown);
  return {
    state: source.capture.state(),
    total: wanted.length === files.length ? total : wanted.length,
    files: await Promise.all(shown.map((file) => toFollowed(source, file))),
  };
}

async function toFollowed(
  { readSession, mask }: TranscriptSource,
  { modifiedMs, sessionId, project, problem }: CapturedFile,
): Promise<FollowedTranscripts["files"][number]> {
  const tags = sessionId === undefined ? [] : ((await readSession(sessionId))?.tags ?? []);
  const client = transcriptClients.find((name) => tags.includes(name));
  return {
    at: new Date(modifiedMs).toISOString(),
    ...(sessionId !== undefined && { sessionId }),
    ...(project !== undefined && { project }),
    ...(client !== undefined && { client: clientTitles[client] }),
    ...(problem !== undefined && { problem: clip(mask(problem), longestProblem) }),
  };
}
