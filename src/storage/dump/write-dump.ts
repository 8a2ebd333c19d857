import { type FileHandle, open, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { toRecord } from "../../domain/actions/kept-action.ts";
import { type NoteKind, toPattern } from "../../domain/knowledge/note.ts";
import type { Session, SessionRecord } from "../../domain/ledger/session.ts";
import { renderThoughtFile } from "../../domain/ledger/tree/thought-file.ts";
import type { Clock } from "../../kernel/clock.ts";
import { createTurns } from "../../kernel/steps.ts";
import type { Actions, Remarks } from "../../ports/actions.ts";
import type { Conversations, ThoughtOrigin } from "../../ports/conversations.ts";
import type { KnowledgeStore } from "../../ports/knowledge-store.ts";
import type { DumpChoice, DumpReport, MemoryCounts } from "../../ports/ledger-dump.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { MemoryTransfer } from "../../ports/memory/memory-dump.ts";
import type { NotebookArchive } from "../../ports/notebook/notebook-archive.ts";
import { storageFailure } from "../../ports/storage-failures.ts";
import type { LedgerUpkeep, Progress, Trash } from "../../ports/upkeep.ts";
import { type DumpLine, dumpFormat, originsAtOnce, type WriteLine } from "./dump-line.ts";
import { countMemory, dumpMemory } from "./dump-memory.ts";

export type DumpSource = {
  ledger: Pick<
    LedgerStore,
    "listSessions" | "listTrash" | "readSession" | "readStride" | "readCritiqueChain"
  >;
  actions: Pick<Actions, "readOfSession">;
  remarks: Pick<Remarks, "readOfSession">;
  trash: Omit<Trash, "listTrash" | "emptyTrash" | "addTrashedNote">;
  conversations: Pick<Conversations, "list" | "listOrigins">;
  knowledge: Pick<KnowledgeStore, "listNotes">;
  archive: Pick<NotebookArchive, "listNotebookIds" | "readWhole">;
  upkeep: Pick<LedgerUpkeep, "listProjects"> & Pick<MemoryTransfer, "openSnapshot">;
};

const sessionsAtOnce = 200;
const thoughtsAtOnce = 500;
const notesAtOnce = 100;
const conversationsAtOnce = 500;
const actionsAtOnce = 200;
const remarksAtOnce = 500;

const chunkBytes = 1024 * 1024;

/** Writes a new file that only its owner can read. Returns its size. If `fill` throws, removes the file. */
async function writeNewFile(
  path: string,
  fill: (write: (line: object) => Promise<void>) => Promise<void>,
): Promise<number> {
  const file = await openNew(path);
  try {
    let waiting = "";
    let bytes = 0;
    const flush = async () => {
      bytes += (await file.write(waiting)).bytesWritten;
      waiting = "";
    };
    await fill(async (line) => {
      waiting += `${JSON.stringify(line)}\n`;
      if (waiting.length >= chunkBytes) await flush();
    });
    await flush();
    await file.sync();
    await file.close();
    await syncDirectory(dirname(path));
    return bytes;
  } catch (thrown) {
    await file.close().catch(() => {});
    await unlink(path);
    throw toError(thrown);
  }
}

/**
 * Syncs a directory, because a power cut could otherwise lose the name of a new file in it. Does nothing on
 * systems that cannot open a directory.
 */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path).catch(() => undefined);
  await directory?.sync().catch(() => {});
  await directory?.close();
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (thrown) {
    throw toError(thrown);
  }
}

function toError(cause: unknown): unknown {
  const { code, syscall, path } = cause as NodeJS.ErrnoException;
  if (code === "EEXIST") return storageFailure("file_exists", { path: path ?? "" }, cause);
  if (syscall === undefined) return cause;
  return storageFailure("new_file_unwritable", { errno: code ?? "unknown" }, cause);
}

const noMemory: MemoryCounts = {
  workspaces: 0,
  branches: 0,
  entries: 0,
  versions: 0,
  lines: 0,
  lastSeq: 0,
};

async function writeMemory(
  store: Pick<MemoryTransfer, "openSnapshot">,
  workspace: string | undefined,
  write: WriteLine,
  { progress, signal }: { progress: Progress; signal: AbortSignal | undefined },
): Promise<MemoryCounts> {
  const total = await countMemory(store, workspace);
  const counts = { ...noMemory };
  const turn = createTurns();
  for await (const { lines, lastSeq } of dumpMemory(store, workspace)) {
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

type Written = Pick<DumpReport, "sessions" | "thoughts" | "notes" | "notebooks" | "memory">;

export async function writeDump(
  source: DumpSource,
  path: string,
  clock: Clock,
  choice: DumpChoice = {},
): Promise<DumpReport> {
  let written: Written | undefined;
  const bytes = await writeNewFile(path, async (write: WriteLine) => {
    await write({ format: dumpFormat, createdAt: clock().toISOString() });
    written = await writeLines(source, write, choice);
    await write({ end: written });
  });
  if (!written) throw new Error("a dump is written before its size is known");
  return { path, bytes, ...written };
}

/** Writes all lines, those of the memory first, so that a restore into an empty store can keep their numbers. */
export async function writeLines(
  source: DumpSource,
  write: WriteLine,
  { workspace, sessions: only, progress = () => {}, memoryProgress = () => {}, signal }: DumpChoice = {},
): Promise<Written> {
  const ledger = { sessions: 0, thoughts: 0, notes: 0, notebooks: 0 };
  const written = new Set<string>();
  const take = async (reads: SessionReads, id: string, total: number): Promise<void> => {
    signal?.throwIfAborted();
    if (written.has(id)) return;
    const thoughts = await writeSession(reads, id, write, signal);
    if (thoughts === undefined) return;
    written.add(id);
    ledger.thoughts += thoughts;
    await writeActions(source, id, write, signal);
    await writeRemarks(source, id, write, signal);
    ledger.sessions += 1;
    progress(ledger.sessions, Math.max(total, ledger.sessions));
  };
  const takeLive = async (): Promise<number> => {
    const before = written.size;
    for await (const { session, total } of allSessions(source)) await take(source.ledger, session.id, total);
    return written.size - before;
  };
  if (only) {
    for (const id of only) await take(source.ledger, id, only.length);
    await writeOrigins(source, written, write, signal);
    return { ...ledger, memory: noMemory };
  }
  const memory = await writeMemory(source.upkeep, workspace, write, { progress: memoryProgress, signal });
  if (workspace !== undefined) return { ...ledger, memory };
  await takeLive();
  // While the dump is being written, sessions may move to the trash or be restored from it. The next pass
  // finds any session that one pass missed, so this ends when a pass finds nothing new.
  for (let found = 1; found > 0; ) {
    const before = written.size;
    for (const id of await trashedIds(source)) await take(readsOfTrash(source), id, 0);
    found = written.size - before + (await takeLive());
  }
  await writeConversations(source, write, signal);
  for (const project of await source.upkeep.listProjects())
    ledger.notes += await writeNotes(source, project, write, signal);
  ledger.notes += await writeTrashedNotes(source, write, signal);
  for (const id of await source.archive.listNotebookIds()) {
    signal?.throwIfAborted();
    ledger.notebooks += await writeNotebook(source, id, write);
  }
  return { ...ledger, memory };
}

/** Yields all sessions, oldest first. Sessions that are created in the meantime come last, so pages do not shift. */
export async function* allSessions(source: DumpSource): AsyncGenerator<{ session: Session; total: number }> {
  for (let offset = 0; ; offset += sessionsAtOnce) {
    const { sessions, total } = await source.ledger.listSessions({
      tagMode: "all",
      limit: sessionsAtOnce,
      offset,
      sortBy: "createdAt",
      sortOrder: "asc",
    });
    for (const session of sessions) yield { session, total };
    if (sessions.length < sessionsAtOnce) return;
  }
}

/** Lists all IDs in the trash before any session is written, because new ones are added at the front. */
async function trashedIds({ ledger }: DumpSource): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const { sessions } = await ledger.listTrash({ limit: sessionsAtOnce, offset: ids.length });
    ids.push(...sessions.map(({ id }) => id));
    if (sessions.length < sessionsAtOnce) return ids;
  }
}

type SessionReads = {
  readSession(id: string): Promise<(SessionRecord & { deletedAt?: string }) | undefined>;
} & Pick<LedgerStore, "readStride" | "readCritiqueChain">;

const readsOfTrash = ({ trash }: DumpSource): SessionReads => ({
  readSession: trash.readTrashedSession,
  readStride: trash.readTrashedStride,
  readCritiqueChain: trash.readTrashedCritiques,
});

/** Writes a session with the thoughts that it had when it was read. Later thoughts belong to the next dump. */
async function writeSession(
  reads: SessionReads,
  sessionId: string,
  write: WriteLine,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const record = await reads.readSession(sessionId);
  if (!record) return undefined;
  await write({ session: record });
  const { thoughtCount } = record.session;
  const hashes = new Set<string>();
  const turn = createTurns();
  let written = 0;
  while (written < thoughtCount) {
    await turn();
    signal?.throwIfAborted();
    const limit = Math.min(thoughtsAtOnce, thoughtCount - written);
    const { entries: stride } = await reads.readStride(sessionId, written, limit);
    if (stride.length === 0) break;
    for (const entry of stride) {
      hashes.add(entry.hash);
      await write({ thought: JSON.parse(renderThoughtFile(entry)) as Record<string, unknown> });
    }
    written += stride.length;
  }
  const { entries } = await reads.readCritiqueChain(sessionId);
  for (const critique of entries) if (hashes.has(critique.thoughtHash)) await write({ critique });
  return written;
}

async function writeActions(
  { actions }: DumpSource,
  sessionId: string,
  write: WriteLine,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const page = await actions.readOfSession(sessionId, { after, limit: actionsAtOnce });
    for (const { action } of page) await write({ action: toRecord(action) });
    after = page.at(-1)?.order ?? after;
    if (page.length < actionsAtOnce) return;
  }
}

async function writeRemarks(
  { remarks }: DumpSource,
  sessionId: string,
  write: WriteLine,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const page = await remarks.readOfSession(sessionId, { after, limit: remarksAtOnce });
    for (const { remark } of page) await write({ remark });
    after = page.at(-1)?.seq ?? after;
    if (page.length < remarksAtOnce) return;
  }
}

async function writeConversations(
  { conversations }: DumpSource,
  write: WriteLine,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let offset = 0; ; offset += conversationsAtOnce) {
    signal?.throwIfAborted();
    const page = await conversations.list(conversationsAtOnce, offset);
    for (const conversation of page) await write({ conversation });
    if (page.length < conversationsAtOnce) break;
  }
  await writeOrigins({ conversations }, undefined, write, signal);
}

/** Writes which conversation added each thought. If `of` is set, writes this only for those sessions. */
async function writeOrigins(
  { conversations }: Pick<DumpSource, "conversations">,
  of: ReadonlySet<string> | undefined,
  write: WriteLine,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const page = await conversations.listOrigins(after, originsAtOnce);
    const wanted = of ? page.filter(({ sessionId }) => of.has(sessionId)) : page;
    for (const origin of groupOrigins(wanted)) await write({ origin });
    after = page.at(-1)?.seq ?? after;
    if (page.length < originsAtOnce) return;
  }
}

type OriginLine = Extract<DumpLine, { origin: unknown }>["origin"];

/** Groups consecutive thoughts in the same session and from the same conversation. */
function groupOrigins(page: readonly ThoughtOrigin[]): OriginLine[] {
  const lines: OriginLine[] = [];
  for (const { position, toolUse, seq: _seq, ...of } of page) {
    const last = lines.at(-1);
    const isSame = last && (Object.keys(of) as (keyof typeof of)[]).every((name) => last[name] === of[name]);
    const thought = { position, ...(toolUse !== undefined && { toolUse }) };
    if (isSame) last.thoughts.push(thought);
    else lines.push({ ...of, thoughts: [thought] });
  }
  return lines;
}

async function writeNotes(
  source: DumpSource,
  project: string,
  write: WriteLine,
  signal: AbortSignal | undefined,
): Promise<number> {
  let written = 0;
  for (const kind of ["pattern", "scratchpad"] satisfies NoteKind[]) {
    for (let offset = 0; ; offset += notesAtOnce) {
      signal?.throwIfAborted();
      const { notes } = await source.knowledge.listNotes({
        project,
        kind,
        limit: notesAtOnce,
        offset,
        sortBy: "createdAt",
        sortOrder: "asc",
      });
      for (const note of notes) await write({ note: { ...toPattern(note), kind }, project });
      written += notes.length;
      if (notes.length < notesAtOnce) break;
    }
  }
  return written;
}

async function writeTrashedNotes(
  { trash }: DumpSource,
  write: WriteLine,
  signal: AbortSignal | undefined,
): Promise<number> {
  for (let written = 0; ; ) {
    signal?.throwIfAborted();
    const page = await trash.listTrashedNotes(notesAtOnce, written);
    for (const { project, note, deletedAt } of page)
      await write({ note: { ...toPattern(note), kind: note.kind }, project, deletedAt });
    written += page.length;
    if (page.length < notesAtOnce) return written;
  }
}

async function writeNotebook({ archive }: DumpSource, id: string, write: WriteLine): Promise<number> {
  const whole = await archive.readWhole(id);
  if (!whole) return 0;
  await write({ notebook: whole.notebook });
  for (const cell of whole.versions) await write({ cell });
  for (const run of whole.runs) await write({ run });
  return 1;
}
