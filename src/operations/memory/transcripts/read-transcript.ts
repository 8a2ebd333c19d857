import type { Address } from "../../../domain/ledger/thought.ts";
import type { TranscriptFormat } from "../../../domain/transcripts/entry.ts";
import { readTranscriptLine } from "../../../domain/transcripts/read-line.ts";
import {
  createThoughtPlan,
  forkAt,
  joinPlans,
  type PlanInProgress,
  type PlanOptions,
  type ThoughtPlan,
} from "../../../domain/transcripts/session/plan-thoughts.ts";
import { agentBranch } from "../../../domain/transcripts/session/strands.ts";
import { threadLayouts } from "../../../domain/transcripts/thread-layout.ts";
import type { OpenTranscript, TranscriptFile, TranscriptRoot } from "../../../ports/transcript-files.ts";
import { readHead, type Scan, type TranscriptHead } from "./scan.ts";

type ReadPart = {
  plan: PlanInProgress;
  offset: number;
  /** True if the last line is incomplete, so the file is still being written. */
  isWritten?: boolean;
};

/** Includes the sub-agents that the session started. */
export type OpenTranscriptPlan = {
  session: Session;
  fingerprint: string;
  include: PlanOptions["include"];
  /** Fork points of branches from an earlier import. They do not move. */
  forks: ReadonlyMap<string, Address>;
  main: ReadPart;
  /** Sub-agents that have their own files. */
  elsewhere: Set<string>;
  threads: Map<string, Thread & { part?: ReadPart | undefined }>;
  judged: Set<string>;
  taken: Set<string>;
};

type Thread = { path: string; name: string; at: string | undefined };

const maxThreads = 500;
const dayMs = 86_400_000;

type Session = { head: TranscriptHead; id: string; format: TranscriptFormat };

/** Finds the transcripts of sub-agents. For a transcript that is continued, reads only its own directory. */
async function findThreads(
  scan: Scan,
  root: TranscriptRoot,
  { session, judged, threads, elsewhere }: OpenTranscriptPlan,
  file: OpenTranscript,
): Promise<void> {
  const { format, head, id } = session;
  const layout = threadLayouts[format];
  if (!layout) return;
  const isFirst = judged.size === 0;
  judged.add(file.path);
  const own = head.session.id ?? id;
  const beside = isFirst || !layout.own ? layout.beside?.(file.path) : undefined;
  const listings = await Promise.all([
    ...(beside === undefined ? [] : [root.list(beside, { deep: false, wants: layout.mayBe })]),
    ...(layout.own ? [root.list(layout.own(file.path, own), { wants: layout.mayBe })] : []),
  ]);
  const found: Thread[] = [];
  for (const candidate of listings.flatMap(({ files }) => files)) {
    if (judged.has(candidate.path) || !mayBelong(candidate, session, file)) continue;
    if (threads.size + found.length >= maxThreads) break;
    const opened = await root.open(candidate.path);
    if ("refused" in opened) continue;
    try {
      const { session: thread, format: seen } = await readHead(scan, opened);
      if (seen === undefined) continue;
      judged.add(candidate.path);
      const starter = layout.starter(thread, candidate.path);
      if (starter !== undefined && (starter === id || starter === head.session.id))
        found.push({ path: candidate.path, name: layout.name(candidate.path), at: thread.at });
    } finally {
      await opened.close();
    }
  }
  // The order of files in a directory is arbitrary.
  for (const thread of found.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    threads.set(thread.path, thread);
    elsewhere.add(thread.name);
  }
}

/** True if a file's times match those of the session, so that few files have to be opened. */
function mayBelong({ path, modifiedMs }: TranscriptFile, { head }: Session, file: OpenTranscript): boolean {
  const began = Date.parse(head.session.at ?? "");
  return path !== file.path && !(modifiedMs < began) && modifiedMs <= file.modifiedMs + dayMs;
}

export function beginTranscript(
  session: Session,
  fingerprint: string,
  include: PlanOptions["include"],
  forks: ReadonlyMap<string, Address>,
): OpenTranscriptPlan {
  const elsewhere = new Set<string>();
  return {
    session,
    fingerprint,
    include,
    forks,
    main: { plan: createThoughtPlan({ include, agent: session.format, elsewhere }), offset: 0 },
    elsewhere,
    threads: new Map(),
    judged: new Set(),
    taken: new Set(),
  };
}

/** Reads the new lines of a transcript and of its sub-agents' transcripts. */
export async function readOn(
  scan: Scan,
  root: TranscriptRoot,
  file: OpenTranscript,
  open: OpenTranscriptPlan,
): Promise<ThoughtPlan> {
  const { main, threads, include, forks, taken } = open;
  await findThreads(scan, root, open, file);
  await readPart(scan, file, main);
  const plans: ThoughtPlan[] = [];
  for (const thread of threads.values()) {
    thread.part ??= begin(thread);
    const opened = thread.part && (await root.open(thread.path));
    if (!thread.part || !opened || "refused" in opened) continue;
    try {
      await readPart(scan, opened, thread.part);
      plans.push(thread.part.plan.take());
    } finally {
      await opened.close();
    }
  }
  const joined = joinPlans(main.plan.take(), plans);
  return main.isWritten === false ? { ...joined, skipped: { ...joined.skipped, incomplete: 1 } } : joined;

  /** Starts a sub-agent's part after a thought of its parent, or returns `undefined` until it is read. */
  function begin(thread: Thread): ReadPart | undefined {
    const wanted = agentBranch(thread.name, taken.size + 1);
    const fork = forks.get(wanted) ?? forkAt(main.plan.moments, thread.at);
    if (!fork) return undefined;
    const branchId = unique(wanted, taken);
    return { plan: createThoughtPlan({ include, agent: branchId, begin: { branchId, fork } }), offset: 0 };
  }
}

/** Reads the new lines of a file. Leaves an incomplete line for the next read. */
async function readPart(scan: Scan, file: OpenTranscript, part: ReadPart): Promise<void> {
  if (file.bytes <= part.offset) return;
  part.isWritten = true;
  await scan.lines(file, { from: part.offset }, (line) => {
    const read = readTranscriptLine(line);
    part.isWritten = !line.open || read.skipped === undefined;
    if (!part.isWritten) return;
    part.plan.add(read);
    part.offset = line.start + line.length + (line.open ? 0 : 1);
  });
}

function unique(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name}-${count}`;
  taken.add(free);
  return free;
}

/** The maximum number of open plans. A machine usually runs fewer sessions at once. */
const most = 24;

export type OpenPlans = ReturnType<typeof createOpenPlans>;

/**
 * Lets this process continue reading a transcript that has grown. Other transcripts are read from the
 * beginning, which gives the same thoughts.
 */
export function createOpenPlans() {
  const plans = new Map<string, OpenTranscriptPlan>();
  const turns = new Map<string, Promise<unknown>>();
  return {
    find: (key: string) => plans.get(key),
    keep(key: string, plan: OpenTranscriptPlan): void {
      plans.delete(key);
      plans.set(key, plan);
      for (const oldest of plans.keys()) {
        if (plans.size <= most) break;
        plans.delete(oldest);
      }
    },
    forget: (key: string) => void plans.delete(key),
    /** Allows one reader at a time, because two readers would plan the same lines. */
    async inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
      const before = turns.get(key) ?? Promise.resolve();
      const mine = before.then(work, work);
      turns.set(key, mine);
      try {
        return await mine;
      } finally {
        if (turns.get(key) === mine) turns.delete(key);
      }
    },
  };
}
