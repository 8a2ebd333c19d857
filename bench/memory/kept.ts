import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { createLineSplitter } from "../../src/domain/transcripts/json-lines.ts";
import { readTranscriptLine } from "../../src/domain/transcripts/read-line.ts";
import { createThoughtPlan, type ThoughtPlan } from "../../src/domain/transcripts/session/plan-thoughts.ts";
import type { SessionEdit } from "../../src/domain/why/known-edits.ts";
import type { GitReader } from "./read-git.ts";

/** The sessions behind a repository, as stored in the repository or on this machine. */
export type Kept = {
  source: string;
  transcripts: number;
  /** How many transcripts are listed but missing from this copy of the repository. */
  absent: number;
  /** How many transcripts have an unknown format. */
  unknown: number;
  bytes: number;
  edits: readonly SessionEdit[];
  /** When each session began, in milliseconds since 1970. */
  starts: ReadonlyMap<string, number>;
  /** The sessions that wrote each commit, if the commit names them and their transcript is readable. */
  labels: ReadonlyMap<string, ReadonlySet<string>>;
};

const branches = [
  ...["entire/checkpoints/v1", "origin/entire/checkpoints/v1"],
  ...["entire/sessions", "origin/entire/sessions"],
];

/** Reads the checkpoints of Entire, which stores a folder for each on a branch and names it in a trailer. */
export async function readCheckpoints(git: GitReader): Promise<Kept | undefined> {
  const exist = await Promise.all(branches.map((name) => git.exists(name)));
  const source = branches.find((_, index) => exist[index]);
  if (source === undefined) return undefined;
  const files = new Map((await git.listFiles(source)).map(({ path, id }) => [path, id]));
  const paths = [...files.keys()].filter((path) => path.endsWith("/full.jsonl"));
  const kept = createCollection();
  const sessions = new Map<string, Set<string>>();
  for (const path of paths) {
    const folder = path.slice(0, -"/full.jsonl".length);
    const text = await git.readObject(files.get(path) ?? "");
    const facts = await git.readObject(files.get(`${folder}/metadata.json`) ?? "");
    const sessionId = facts && readSessionId(facts);
    if (!text || sessionId === undefined) kept.absent += 1;
    else if (kept.add(text, sessionId)) {
      const checkpoint = folder.split("/").slice(0, 2).join("");
      sessions.set(checkpoint, (sessions.get(checkpoint) ?? new Set()).add(sessionId));
    }
  }
  const labels = new Map<string, Set<string>>();
  for (const { commit, trailer } of await git.readTrailers("Entire-Checkpoint"))
    for (const session of sessions.get(trailer) ?? [])
      labels.set(commit, (labels.get(commit) ?? new Set()).add(session));
  return { source, ...kept.figures(), labels };
}

/**
 * Reads Claude Code and Codex transcripts from a folder. No commit names these transcripts, so no result can
 * be checked.
 */
export function readFolder(folder: string): Kept {
  const kept = createCollection();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".jsonl")) kept.add(readFileSync(join(folder, name)), basename(name, ".jsonl"));
  return { source: folder, ...kept.figures(), labels: new Map() };
}

function createCollection() {
  const edits: SessionEdit[] = [];
  const starts = new Map<string, number>();
  let [transcripts, unknown, bytes] = [0, 0, 0];
  return {
    absent: 0,
    /** Returns false if the text is not a readable transcript. */
    add(text: Buffer, sessionId: string): boolean {
      const { thoughts, actions } = readPlan(text);
      transcripts += 1;
      bytes += text.length;
      const isKnown = thoughts.length + actions.length > 0;
      unknown += isKnown ? 0 : 1;
      const [began] = thoughts.flatMap(({ at }) => at ?? []).sort();
      if (began !== undefined)
        starts.set(sessionId, Math.min(starts.get(sessionId) ?? Number.POSITIVE_INFINITY, Date.parse(began)));
      for (const action of actions) if (action.type === "edit") edits.push({ ...action, sessionId });
      return isKnown;
    },
    figures() {
      return { transcripts: transcripts + this.absent, absent: this.absent, unknown, bytes, edits, starts };
    },
  };
}

function readPlan(text: Buffer): ThoughtPlan {
  const plan = createThoughtPlan({ include: "all", agent: "agent" });
  const splitter = createLineSplitter((line) => plan.add(readTranscriptLine(line)));
  splitter.push(text);
  splitter.finish();
  return plan.take();
}

/** Returns the session's own ID, which a date precedes in early checkpoints. */
function readSessionId(json: Buffer): string | undefined {
  const { session_id: id } = JSON.parse(json.toString("utf8")) as { session_id?: unknown };
  if (typeof id !== "string" || id === "") return undefined;
  return id.replace(/^\d{4}-\d\d-\d\d-(?=[0-9a-f]{8}-)/, "");
}
