import type { Address } from "../../../domain/ledger/address.ts";
import type { TranscriptFormat } from "../../../domain/transcripts/entry.ts";
import { readTranscriptLine } from "../../../domain/transcripts/read-line.ts";
import {
  createThoughtPlan,
  forkAt,
  joinPlans,
  type PlanOptions,
  type ThoughtPlan,
} from "../../../domain/transcripts/session/plan-thoughts.ts";
import { agentBranch } from "../../../domain/transcripts/session/strands.ts";
import type { OpenTranscript, TranscriptFile, TranscriptRoot } from "../../../ports/transcript-files.ts";
import { readHead, type TranscriptHead } from "./read-head.ts";
import type { Scan } from "./scan.ts";

type ReadRequest = {
  root: TranscriptRoot;
  file: OpenTranscript;
  head: TranscriptHead;
  id: string;
  format: TranscriptFormat;
  include: PlanOptions["include"];
  /** Where branches of an earlier import fork; they stay there. */
  forks: ReadonlyMap<string, Address>;
};

/** The transcript of a sub-agent, in a file of its own. */
type Thread = { path: string; name: string; at: string | undefined };

const maxThreads = 500;
const dayMs = 86_400_000;

type Session = { file: OpenTranscript; head: TranscriptHead; id: string; format: TranscriptFormat };

/**
 * Claude Code puts sub-agents beside the session, as `agent-….jsonl`, or into a directory of its name; Codex writes
 * them as sessions of their own, which name the one that started them.
 */
async function findThreads(scan: Scan, root: TranscriptRoot, session: Session): Promise<Thread[]> {
  const { file, format, head, id } = session;
  const folder = file.path.split("/").slice(0, -1).join("/");
  const beside = await root.list(folder);
  const threads: Thread[] = [];
  for (const candidate of beside.files.filter((other) => mayBelong(other, session, folder))) {
    if (threads.length >= maxThreads) break;
    const opened = await root.open(candidate.path);
    if ("refused" in opened) continue;
    try {
      const { session: thread } = await readHead(scan, opened);
      const starter = format === "codex" ? thread.parentId : thread.id;
      if (starter !== undefined && starter === (format === "codex" ? (head.session.id ?? id) : id))
        threads.push({ path: candidate.path, name: nameOf(candidate.path, format), at: thread.at });
    } finally {
      await opened.close();
    }
  }
  // The order of a directory is nobody's choice.
  return threads.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** By name, place and time, so that few files have to be opened. */
function mayBelong(
  { path, modifiedMs }: TranscriptFile,
  { file, head, format }: Session,
  folder: string,
): boolean {
  if (path === file.path) return false;
  const began = Date.parse(head.session.at ?? "");
  if (modifiedMs < began || modifiedMs > file.modifiedMs + dayMs) return false;
  const name = fileName(path);
  if (format === "codex") return isDirectlyIn(folder, path) && name.startsWith("rollout-");
  const own = file.path.replace(/\.jsonl$/, "/");
  return name.startsWith("agent-") && (isDirectlyIn(folder, path) || path.startsWith(own));
}

const fileName = (path: string): string => path.split("/").at(-1) ?? path;

const isDirectlyIn = (folder: string, path: string): boolean =>
  path === (folder === "" ? fileName(path) : `${folder}/${fileName(path)}`);

function nameOf(path: string, format: TranscriptFormat): string {
  const name = fileName(path).replace(/\.jsonl$/, "");
  return format === "codex" ? name.slice(-12) : name.replace(/^agent-/, "");
}

/** The thoughts of a transcript and of the sub-agents that it started. */
export async function readTranscript(
  scan: Scan,
  { root, file, head, id, format, include, forks }: ReadRequest,
): Promise<ThoughtPlan> {
  const threads = await findThreads(scan, root, { file, head, id, format });
  const elsewhere = new Set(threads.map(({ name }) => name));
  const main = await plan(scan, file, { include, agent: format, elsewhere });
  const plans: ThoughtPlan[] = [];
  const taken = new Set<string>();
  for (const thread of threads) {
    const branchId = unique(agentBranch(thread.name, plans.length + 1), taken);
    const fork = forks.get(branchId) ?? forkAt(main.thoughts, thread.at);
    const opened = fork && (await root.open(thread.path));
    if (!opened || "refused" in opened) continue;
    try {
      plans.push(await plan(scan, opened, { include, agent: branchId, begin: { branchId, fork } }));
    } finally {
      await opened.close();
    }
  }
  return joinPlans(main, plans);
}

async function plan(scan: Scan, file: OpenTranscript, options: PlanOptions): Promise<ThoughtPlan> {
  const thoughts = createThoughtPlan(options);
  await scan.lines(file, {}, (line) => thoughts.add(readTranscriptLine(line)));
  return thoughts.finish();
}

function unique(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}-${count}`;
  taken.add(free);
  return free;
}
