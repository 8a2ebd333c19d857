import { checkSize } from "../../domain/notebook/notebook.ts";
import { count } from "../../kernel/numbers.ts";
import type { Actions, Remarks } from "../../ports/actions.ts";
import type { Conversations, KnownConversation } from "../../ports/conversations.ts";
import type { KnowledgeStore } from "../../ports/knowledge-store.ts";
import type { DumpOptions, RestoreReport } from "../../ports/ledger-dump.ts";
import type { LedgerImport } from "../../ports/ledger-import.ts";
import type { MemoryLine, MemoryTransfer } from "../../ports/memory/memory-dump.ts";
import type { NotebookArchive, WholeNotebook } from "../../ports/notebook/notebook-archive.ts";
import type { Progress, Trash } from "../../ports/upkeep.ts";
import { type DumpLine, isMemoryLine } from "./dump-line.ts";
import { addBadLine, type BadLines, readEnd, readLines, sortBadLines } from "./read-dump.ts";
import { type MemoryRestore, restoreMemory } from "./restore-memory.ts";
import { restoreSessions } from "./restore-sessions.ts";

export type RestoreTarget = {
  imports: LedgerImport;
  actions: Pick<Actions, "record">;
  remarks: Pick<Remarks, "record">;
  conversations: Pick<Conversations, "add">;
  knowledge: Pick<KnowledgeStore, "createNote">;
  trash: Pick<Trash, "addTrashedNote">;
  archive: Pick<NotebookArchive, "addWhole">;
  upkeep: MemoryTransfer;
};

/**
 * The maximum number of lines per transaction, chosen so that other writers wait for only a fraction of a
 * second.
 */
const linesAtOnce = 1_000;
const charactersAtOnce = 4_000_000;

/** Collects the memory's lines into transactions. */
function collectMemory(
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

/** Restores a dump. Reads the file once. Skips and reports invalid lines, and restores the rest. */
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
  const memories = restoreMemory(target.upkeep, end.memory?.lastSeq ?? 0);
  const memory = collectMemory(memories, report, { progress: memoryProgress, total: end.memory?.lines ?? 0 });
  const notebooks = restoreNotebooks(target.archive, report);
  const conversations = restoreConversations(target.conversations);
  const sessions = restoreSessions(target, report, () => progress(report.sessions, end.sessions));

  let last = 0;

  async function take(number: number, line: DumpLine, length: number): Promise<void> {
    if (isMemoryLine(line)) return memory.take(number, line, length);
    // The lines after the memory get higher numbers, so the memory is written first.
    await memory.flush();
    if (await notebooks.take(number, line)) return;
    await sessions.take(number, line, length);
    await conversations.take(line);
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
        addBadLine(report, number, "is not a line of a dump");
      }
      last = number;
    }
    await sessions.finish();
    await conversations.finish();
    await notebooks.finish();
    await memory.finish();
  } catch (thrown) {
    await memories.abandon().catch(() => {});
    throw thrown;
  }
  if (report.sessions < end.sessions)
    addBadLine(
      report,
      last,
      `counts ${count(end.sessions, "session")}, but ${report.sessions} could be read`,
    );
  sortBadLines(report);
  return report;
}

/** Restores conversations and the writers of thoughts. In a dump, both follow the sessions, conversations first. */
function restoreConversations(target: Pick<Conversations, "add">) {
  let waiting: KnownConversation[] = [];

  async function finish(): Promise<void> {
    if (waiting.length > 0) await target.add(waiting, []);
    waiting = [];
  }

  return {
    finish,
    async take(line: DumpLine): Promise<void> {
      if ("conversation" in line) waiting.push(line.conversation);
      if (!("conversation" in line) || waiting.length >= linesAtOnce) await finish();
      if (!("origin" in line)) return;
      const { thoughts, ...of } = line.origin;
      await target.add(
        [],
        thoughts.map((thought) => ({ ...of, ...thought })),
      );
    },
  };
}

/** Collects all lines of a notebook before it stores or refuses the notebook. */
function restoreNotebooks(archive: Pick<NotebookArchive, "addWhole">, report: RestoreReport) {
  let open: WholeNotebook | undefined;

  async function finish(): Promise<void> {
    if (!open) return;
    const whole = open;
    open = undefined;
    const { id: notebookId } = whole.notebook;
    const flaw = findFlaw(whole);
    const outcome = flaw === undefined ? await archive.addWhole(whole) : "refused";
    if (outcome !== "refused") report.notebooks[outcome] += 1;
    else {
      const reason = flaw ?? "the store has a different notebook with this ID";
      report.notebooks.refused.push({ notebookId, reason });
    }
  }

  return {
    finish,
    /** Takes a line. Returns false if the line does not belong to a notebook. */
    async take(number: number, line: DumpLine): Promise<boolean> {
      if ("notebook" in line) {
        await finish();
        open = { notebook: line.notebook, versions: [], runs: [] };
      } else if (!("cell" in line || "run" in line)) {
        await finish();
        return false;
      } else if (!open) addBadLine(report, number, "belongs to no notebook");
      else if ("cell" in line) open.versions.push(line.cell);
      else open.runs.push(line.run);
      return true;
    },
  };
}

/** Returns what is missing or duplicated. `undefined` if the lines form a complete notebook. */
function findFlaw({ notebook, versions, runs }: WholeNotebook): string | undefined {
  const contents = new Map(
    versions.map(({ cellId, version, content }) => [`${cellId} ${version}`, content] as const),
  );
  if (contents.size < versions.length) return "a version of a cell appears twice";
  const newest = new Map<string, number>();
  for (const { cellId, version } of versions) newest.set(cellId, Math.max(version, newest.get(cellId) ?? 0));
  if (new Set(notebook.cells.map(({ id }) => id)).size < notebook.cells.length)
    return "a cell is listed twice";
  const listed = notebook.cells.flatMap(({ id, version }) => contents.get(`${id} ${version}`) ?? []);
  const isNewest = notebook.cells.every(({ id, version }) => newest.get(id) === version);
  if (listed.length < notebook.cells.length || !isNewest) return "some of its cells are missing";
  if (runs.some(({ cellId }) => !newest.has(cellId))) return "a run belongs to no cell";
  try {
    checkSize(listed);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Error) return thrown.message;
    throw thrown;
  }
}
