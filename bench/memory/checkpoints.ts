import { createLineSplitter } from "../../src/domain/transcripts/split-lines.ts";
import { readTranscriptLine } from "../../src/domain/transcripts/read-line.ts";
import { createThoughtPlan, type ThoughtPlan } from "../../src/domain/transcripts/session/plan-thoughts.ts";
import type { SessionEdit } from "../../src/domain/why/known-edits.ts";
import type { GitReader } from "./read-git.ts";

/** Which sessions a repository says wrote a commit, and what their transcripts contain. */
export type Kept = {
  /** Where the transcripts were found. */
  source: string;
  transcripts: number;
  /** Listed, but their objects are not in this copy of the repository. */
  absent: number;
  /** Read, but in a format that no reader knows. */
  unknown: number;
  bytes: number;
  edits: readonly SessionEdit[];
  /** The label of a commit: sessions of its checkpoints whose transcript can be read. */
  labels: ReadonlyMap<string, ReadonlySet<string>>;
};

const branches = ["entire/checkpoints/v1", "origin/entire/checkpoints/v1", "entire/sessions", "origin/entire/sessions"];

/** Entire keeps a folder per checkpoint, and names the checkpoint in a trailer of the commit. */
export async function readCheckpoints(git: GitReader, report: (done: number, all: number) => void): Promise<Kept | undefined> {
  const branch = (await Promise.all(branches.map((name) => git.exists(name)))).findIndex(Boolean);
  const ref = branches[branch];
  if (ref === undefined) return undefined;
  const files = await git.listFiles(ref);
  const transcripts = files.filter(({ path }) => path.endsWith("/full.jsonl"));
  const metadata = new Map(files.flatMap(({ path, id }) => (path.endsWith("/metadata.json") ? [[path, id]] : [])));
  const edits: SessionEdit[] = [];
  const sessions = new Map<string, Set<string>>();
  let [bytes, absent, unknown, done] = [0, 0, 0, 0];
  for (const { path, id } of transcripts) {
    report((done += 1), transcripts.length);
    const folder = path.slice(0, -"/full.jsonl".length);
    const described = metadata.get(`${folder}/metadata.json`);
    const [text, facts] = [await git.readBlob(id), described && (await git.readBlob(described))];
    const sessionId = facts ? readSessionId(facts) : undefined;
    if (!text || sessionId === undefined) {
      absent += 1;
      continue;
    }
    bytes += text.length;
    const { thoughts, actions } = readPlan(text);
    if (thoughts.length + actions.length === 0) {
      unknown += 1;
      continue;
    }
    const checkpoint = folder.split("/").slice(0, 2).join("");
    sessions.set(checkpoint, (sessions.get(checkpoint) ?? new Set()).add(sessionId));
    for (const action of actions) if (action.type === "edit") edits.push({ ...action, sessionId });
  }
  const labels = new Map<string, Set<string>>();
  for (const { commit, trailer } of await git.readTrailers("Entire-Checkpoint"))
    for (const session of sessions.get(trailer) ?? [])
      labels.set(commit, (labels.get(commit) ?? new Set()).add(session));
  return { source: ref, transcripts: transcripts.length, absent, unknown, bytes, edits, labels };
}

export function readPlan(text: Buffer): ThoughtPlan {
  const plan = createThoughtPlan({ include: "all", agent: "agent" });
  const splitter = createLineSplitter((line) => plan.add(readTranscriptLine(line)));
  splitter.push(text);
  splitter.finish();
  return plan.finish();
}

function readSessionId(json: Buffer): string | undefined {
  const { session_id: id } = JSON.parse(json.toString("utf8")) as { session_id?: unknown };
  // Early checkpoints put a date before the session's own ID.
  return typeof id === "string" && id !== "" ? id.replace(/^\d{4}-\d\d-\d\d-(?=[0-9a-f]{8}-)/, "") : undefined;
}
