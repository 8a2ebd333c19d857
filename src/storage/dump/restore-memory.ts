import type { RestoreReport } from "../../ports/ledger-dump.ts";
import type { MemoryLine, MemoryRestore } from "../../ports/memory/memory-dump.ts";
import type { Progress } from "../../ports/upkeep.ts";
import { addBadLine, type BadLines } from "./bad-lines.ts";

/** Lines of one transaction: a fraction of a second during which other writers wait. */
const linesAtOnce = 1_000;
const charactersAtOnce = 4_000_000;

/** Collects the memory's lines into transactions. */
export function restoreMemory(
  restore: MemoryRestore,
  report: BadLines & Pick<RestoreReport, "workspaces">,
  { progress, total }: { progress: Progress; total: number },
) {
  let waiting: { number: number; line: MemoryLine }[] = [];
  let characters = 0;
  let done = 0;

  async function flush(): Promise<void> {
    if (waiting.length === 0) return;
    const problems = await restore.take(waiting.map(({ line }) => line));
    for (const [index, { number }] of waiting.entries()) {
      const problem = problems[index];
      if (problem !== undefined) addBadLine(report, number, problem);
    }
    done += waiting.length;
    progress(Math.min(done, total), total);
    waiting = [];
    characters = 0;
  }

  return {
    async take(number: number, line: MemoryLine, length: number): Promise<void> {
      waiting.push({ number, line });
      characters += length;
      if (waiting.length >= linesAtOnce || characters >= charactersAtOnce) await flush();
    },
    flush,
    async finish(): Promise<void> {
      await flush();
      report.workspaces.push(...(await restore.finish()));
    },
  };
}
