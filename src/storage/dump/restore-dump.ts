import { importedAtOnce } from "../../domain/ledger/limits.ts";
import type { SessionRecord } from "../../domain/ledger/session.ts";
import type { ChainedCritique, PlacedCritique } from "../../domain/ledger/tree/critique-file.ts";
import { parseThoughtFile, type SealedThought } from "../../domain/ledger/tree/thought-file.ts";
import type { KnowledgeStore } from "../../ports/knowledge-store.ts";
import type { DumpOptions, RestoreReport } from "../../ports/ledger-dump.ts";
import type { LedgerImport, PartOutcome } from "../../ports/ledger-import.ts";
import type { MemoryDump } from "../../ports/memory/memory-dump.ts";
import type { NotebookArchive } from "../../ports/notebook/notebook-archive.ts";
import { addBadLine } from "./bad-lines.ts";
import type { DumpLine } from "./dump-line.ts";
import { isMemoryLine } from "./memory-line.ts";
import { readEnd, readLines } from "./read-dump.ts";
import { restoreMemory } from "./restore-memory.ts";
import { restoreNotebooks } from "./restore-notebooks.ts";

export type RestoreTarget = {
  imports: LedgerImport;
  knowledge: Pick<KnowledgeStore, "createNote">;
  archive: Pick<NotebookArchive, "addWhole">;
  upkeep: Pick<MemoryDump, "restoreMemory">;
};

type OpenSession = {
  record: SessionRecord;
  entries: SealedThought[];
  critiques: PlacedCritique[];
  /** Of the lines that wait. */
  characters: number;
  /** Where the thoughts stand that a critique may speak of. */
  positions: Map<string, number>;
  outcome: PartOutcome | undefined;
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
  let open: OpenSession | undefined;

  async function send(): Promise<void> {
    if (!open) return;
    const { record, entries, critiques } = open;
    // What follows a part that was refused would hang in the air.
    const isRefused = open.outcome?.refused !== undefined;
    const [outcome] = isRefused ? [] : await target.imports.importParts([{ record, entries, critiques }]);
    if (outcome) open.outcome = merge(open.outcome, outcome);
    open.entries = [];
    open.critiques = [];
    open.characters = 0;
  }

  async function finishSession(): Promise<void> {
    if (!open) return;
    if (open.entries.length > 0 || open.critiques.length > 0 || !open.outcome) await send();
    report.sessions += 1;
    if (open.outcome) count(report, open.outcome);
    open = undefined;
    progress(report.sessions, end.sessions);
  }

  async function take(number: number, line: DumpLine, length: number): Promise<void> {
    if (isMemoryLine(line)) return memory.take(number, line, length);
    // Whatever comes after the memory takes numbers too, and higher ones.
    await memory.flush();
    if (await notebooks.take(number, line)) return;
    if ("session" in line || "note" in line || "end" in line) await finishSession();
    if ("session" in line)
      open = {
        record: line.session,
        entries: [],
        critiques: [],
        characters: 0,
        positions: new Map(),
        outcome: undefined,
      };
    // Before it is added: a text as long as any then comes in a transaction of its own.
    if (open && !hasRoom(open, length)) await send();
    if ("thought" in line) {
      const problem = open ? addThought(open, line.thought) : "belongs to no session";
      if (problem !== undefined) addBadLine(report, number, problem);
    }
    if ("critique" in line && open) addCritique(open, line.critique);
    if (open) open.characters += length;
    if ("note" in line) {
      const created = await target.knowledge.createNote(line.project, line.note, undefined);
      report[created ? "notes" : "keptNotes"] += 1;
    }
  }

  try {
    for await (const { number, line, text } of readLines(path)) {
      signal?.throwIfAborted();
      if (line) await take(number, line, text.length);
      else addBadLine(report, number, "is no line of a dump");
    }
    await finishSession();
    await notebooks.finish();
    await memory.finish();
  } catch (thrown) {
    await memories.abandon().catch(() => {});
    throw thrown;
  }
  return report;
}

function hasRoom({ entries, critiques, characters }: OpenSession, length: number): boolean {
  const rows = entries.length + critiques.length;
  if (rows === 0) return true;
  return rows < importedAtOnce.rows && characters + length <= importedAtOnce.characters;
}

function addThought(
  { record, entries, positions }: OpenSession,
  fields: Record<string, unknown>,
): string | undefined {
  const parsed = parseThoughtFile(record.session.id, JSON.stringify(fields));
  if (parsed.kind === "sealed") {
    entries.push(parsed.entry);
    positions.set(shortHash(parsed.entry.hash), parsed.entry.position);
  }
  if (parsed.kind === "bad") return parsed.problem;
  return parsed.kind === "plain" ? "has no place in the session's chain" : undefined;
}

/** Enough to find a thought's place by; a session may have a million of them. */
const shortHash = (hash: string): string => hash.slice(0, 12);

function addCritique({ critiques, positions }: OpenSession, critique: ChainedCritique): void {
  const thoughtPosition = positions.get(shortHash(critique.thoughtHash));
  critiques.push(thoughtPosition === undefined ? critique : { ...critique, thoughtPosition });
}

function count(report: RestoreReport, { sessionId, added, created, refused }: PartOutcome): void {
  report.thoughts += added;
  if (refused !== undefined) report.refused.push({ sessionId, path: sessionId, reason: refused });
  else if (created) report.imported += 1;
  else if (added > 0) report.continued += 1;
  else report.unchanged += 1;
}

function merge(earlier: PartOutcome | undefined, later: PartOutcome): PartOutcome {
  if (!earlier) return later;
  return {
    ...later,
    ...earlier,
    added: earlier.added + later.added,
    critiques: earlier.critiques + later.critiques,
  };
}
