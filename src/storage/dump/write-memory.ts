import { createTurns } from "../../kernel/steps.ts";
import type { MemoryCounts } from "../../ports/ledger-dump.ts";
import type { MemoryDump } from "../../ports/memory/memory-dump.ts";
import type { Progress } from "../../ports/upkeep.ts";
import type { WriteLine } from "./dump-line.ts";

export const noMemory: MemoryCounts = {
  workspaces: 0,
  branches: 0,
  entries: 0,
  versions: 0,
  lines: 0,
  lastSeq: 0,
};

export async function writeMemory(
  memory: Pick<MemoryDump, "dumpMemory" | "countMemory">,
  workspace: string | undefined,
  write: WriteLine,
  { progress, signal }: { progress: Progress; signal: AbortSignal | undefined },
): Promise<MemoryCounts> {
  const total = await memory.countMemory(workspace);
  const counts = { ...noMemory };
  const turn = createTurns();
  for await (const { lines, lastSeq } of memory.dumpMemory(workspace)) {
    await turn();
    signal?.throwIfAborted();
    for (const line of lines) {
      await write(line);
      if ("workspace" in line) counts.workspaces += 1;
      if ("branch" in line && line.branch.deleted_at_ms === undefined) counts.branches += 1;
      if ("entry" in line) counts.entries += 1;
      if ("version" in line) counts.versions += 1;
    }
    counts.lines += lines.length;
    counts.lastSeq = lastSeq;
    progress(Math.min(counts.lines, total), total);
  }
  return counts;
}
