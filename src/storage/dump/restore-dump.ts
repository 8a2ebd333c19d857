import { count } from "../../kernel/numbers.ts";
import type { KnowledgeStore } from "../../ports/knowledge-store.ts";
import type { DumpOptions, RestoreReport } from "../../ports/ledger-dump.ts";
import type { LedgerImport } from "../../ports/ledger-import.ts";
import type { MemoryDump } from "../../ports/memory/memory-dump.ts";
import type { NotebookArchive } from "../../ports/notebook/notebook-archive.ts";
import type { Trash } from "../../ports/trash.ts";
import { addBadLine, sortBadLines } from "./bad-lines.ts";
import type { DumpLine } from "./dump-line.ts";
import { isMemoryLine } from "./memory-line.ts";
import { readEnd, readLines } from "./read-dump.ts";
import { restoreMemory } from "./restore-memory.ts";
import { restoreNotebooks } from "./restore-notebooks.ts";
import { restoreSessions } from "./restore-sessions.ts";

export type RestoreTarget = {
  imports: LedgerImport;
  knowledge: Pick<KnowledgeStore, "createNote">;
  trash: Pick<Trash, "addTrashedNote">;
  archive: Pick<NotebookArchive, "addWhole">;
  upkeep: Pick<MemoryDump, "restoreMemory">;
};

/** Goes through the file once. A line that cannot be believed is passed over and reported; the rest comes back. */
export async function restoreDump(
  target: RestoreTarget,
  path: string,
  { progress = () => {}, memoryProgress = () => {}, signal }: DumpOptions = {},
): Promise<RestoreReport> {
  const end = await readEnd(path);
  const report: RestoreReport = {
    sessions: 0,
    imported: 0,
    continued: 0,
    unchanged: 0,
    thoughts: 0,
    notes: 0,
    keptNotes: 0,
    workspaces: [],
    refused: [],
    badLines: [],
    moreBadLines: 0,
    warnings: [],
    notebooks: { added: 0, kept: 0, refused: [] },
  };
  const memories = target.upkeep.restoreMemory(end.memory?.lastSeq ?? 0);
  const memory = restoreMemory(memories, report, { progress: memoryProgress, total: end.memory?.lines ?? 0 });
  const notebooks = restoreNotebooks(target.archive, report);
  const sessions = restoreSessions(target.imports, report, () => progress(report.sessions, end.sessions));

  let last = 0;

  async function take(number: number, line: DumpLine, length: number): Promise<void> {
    if (isMemoryLine(line)) return memory.take(number, line, length);
    // Whatever comes after the memory takes numbers too, and higher ones.
    await memory.flush();
    if (await notebooks.take(number, line)) return;
    await sessions.take(number, line, length);
    if ("note" in line) {
      const { project, note, deletedAt } = line;
      const created =
        deletedAt === undefined
          ? await target.knowledge.createNote(project, note, undefined)
          : await target.trash.addTrashedNote({ project, note, deletedAt });
      report[created ? "notes" : "keptNotes"] += 1;
    }
  }

  try {
    for await (const { number, line, text } of readLines(path)) {
      signal?.throwIfAborted();
      if (line) await take(number, line, text.length);
      else {
        await sessions.passOver(text);
        addBadLine(report, number, "is no line of a dump");
      }
      last = number;
    }
    await sessions.finish();
    await notebooks.finish();
    await memory.finish();
  } catch (thrown) {
    await memories.abandon().catch(() => {});
    throw thrown;
  }
  if (report.sessions < end.sessions)
    addBadLine(report, last, `counts ${count(end.sessions, "session")}; ${report.sessions} could be read`);
  sortBadLines(report);
  return report;
}
