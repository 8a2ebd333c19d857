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
import type { OpenTranscript, TranscriptRoot } from "../../../ports/transcript-files.ts";
import { findThreads } from "./finding/find-threads.ts";
import type { TranscriptHead } from "./read-head.ts";
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

/** The thoughts of a transcript and of the sub-agents that it started. */
export async function readTranscript(
  scan: Scan,
  { root, file, head, id, format, include, forks }: ReadRequest,
): Promise<ThoughtPlan> {
  const main = await plan(scan, file, { include, agent: format });
  const threads = await findThreads(scan, root, { file, head, id, format });
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
