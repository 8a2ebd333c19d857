import { type NoteKind, toPattern } from "../../domain/knowledge/note.ts";
import type { Session } from "../../domain/ledger/session.ts";
import { renderThoughtFile } from "../../domain/ledger/tree/thought-file.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { KnowledgeStore } from "../../ports/knowledge-store.ts";
import type { DumpOptions, DumpReport } from "../../ports/ledger-dump.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { LedgerUpkeep } from "../../ports/upkeep.ts";
import { type DumpLine, dumpFormat } from "./dump-line.ts";
import { writeNewFile } from "./new-file.ts";

export type DumpSource = Pick<
  LedgerStore & KnowledgeStore & LedgerUpkeep,
  "listSessions" | "readSession" | "readEntries" | "readCritiqueChain" | "listNotes" | "listProjects"
>;

type WriteLine = (line: DumpLine) => Promise<void>;

const sessionsAtOnce = 200;
const thoughtsAtOnce = 1_000;
const notesAtOnce = 100;

export async function writeDump(
  source: DumpSource,
  path: string,
  clock: Clock,
  { progress = () => {}, signal }: DumpOptions = {},
): Promise<DumpReport> {
  const counts = { sessions: 0, thoughts: 0, notes: 0 };
  const bytes = await writeNewFile(path, async (write: WriteLine) => {
    await write({ format: dumpFormat, createdAt: clock().toISOString() });
    for await (const { session, total } of allSessions(source)) {
      signal?.throwIfAborted();
      counts.thoughts += await writeSession(source, session.id, write);
      counts.sessions += 1;
      progress(counts.sessions, Math.max(total, counts.sessions));
    }
    for (const project of await source.listProjects())
      counts.notes += await writeNotes(source, project, write);
    await write({ end: counts });
  });
  return { path, bytes, ...counts };
}

/** Sessions that are created meanwhile come last, so pages do not shift. */
async function* allSessions(source: DumpSource): AsyncGenerator<{ session: Session; total: number }> {
  for (let offset = 0; ; offset += sessionsAtOnce) {
    const { sessions, total } = await source.listSessions({
      ...{ tagMode: "all", limit: sessionsAtOnce, offset, sortBy: "createdAt", sortOrder: "asc" },
    });
    for (const session of sessions) yield { session, total };
    if (sessions.length < sessionsAtOnce) return;
  }
}

/** As many thoughts as the session counted when it was read: whatever arrives meanwhile belongs to the next dump. */
async function writeSession(source: DumpSource, sessionId: string, write: WriteLine): Promise<number> {
  const record = await source.readSession(sessionId);
  if (!record) return 0;
  await write({ session: record });
  const { thoughtCount } = record.session;
  const hashes = new Set<string>();
  let written = 0;
  while (written < thoughtCount) {
    const page = await source.readEntries(
      sessionId,
      written,
      Math.min(thoughtsAtOnce, thoughtCount - written),
    );
    if (page.length === 0) break;
    for (const entry of page) {
      hashes.add(entry.hash);
      await write({ thought: JSON.parse(renderThoughtFile(entry)) as Record<string, unknown> });
    }
    written += page.length;
  }
  const { entries } = await source.readCritiqueChain(sessionId);
  for (const critique of entries) if (hashes.has(critique.thoughtHash)) await write({ critique });
  return written;
}

async function writeNotes(source: DumpSource, project: string, write: WriteLine): Promise<number> {
  let written = 0;
  for (const kind of ["pattern", "scratchpad"] satisfies NoteKind[]) {
    for (let offset = 0; ; offset += notesAtOnce) {
      const { notes } = await source.listNotes({
        ...{ project, kind, limit: notesAtOnce, offset, sortBy: "createdAt", sortOrder: "asc" },
      });
      for (const note of notes) await write({ note: { ...toPattern(note), kind }, project });
      written += notes.length;
      if (notes.length < notesAtOnce) break;
    }
  }
  return written;
}
